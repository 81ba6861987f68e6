"""The readiness report of a project: what is compiled, what to expect of it, and what to do first.

`compilelint check` lists findings by place; here they are brought together by what is compiled (`roots`), in the order
in which work on them pays (`work`), as one document (`document`) that each format only spells. No claim without a
finding behind it.
"""
