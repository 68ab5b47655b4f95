# A report and an expectation become a `Verdict`; what a job printed becomes a result.
# Pure: no torch, no clock, no process. Runs in the parent only.
