"""Files as one program: which are linted, which environment they import from, who is who, what gets compiled.

`discovery` finds files, `environment` and `modules` find what they import, `loader` reads it on demand, `index`
resolves names across files, `roots` names the compile roots. Nothing is imported or run.
"""
