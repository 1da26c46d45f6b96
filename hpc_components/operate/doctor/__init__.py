"""What is wrong with a running cluster, why, and what to type: the tables of docs/operate.md and
docs/troubleshooting.md as code.

- `questions`: the commands that ask a head node and another node; they only read
- `facts`: their answers, read; what could not be asked is kept with the reason
- `cause`: what a cause is, and the registry of causes
- `causes`: one function for each cause, in the order in which causes lead to others
- `diagnose`: from facts to diagnoses, the most important first
- `unreachable`: what this machine can tell if the head node can't be reached
- `document`, `text`: what `hpc doctor` prints
"""
