# What runs beside a candidate in the child process: inputs, counters, recorders, guards.
# The only room that imports torch; imported by nobody but the child program.
