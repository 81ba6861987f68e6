"""One run of a command, from options to a report. A folder a subject:

`commands` what a subcommand does, on one page each; `pipeline` the steps of a lint; `analyse` puts interpreter and
survey to work; `parallel` parts and worker processes; `incremental` the caches; `fixing` making and proving fixes.
"""
