"""Files as one program: which are linted, which environment they import from, who is who, what gets compiled.

`discovery` finds files, `environment` and `modules` find what they import, `loader` reads it on demand, `classes` holds
what a module and a class bind, `index` resolves names across files, `roots` names the compile roots. Nothing is
imported or run.
"""
