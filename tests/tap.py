"""For test scripts in Python: each check is one test case, reported in TAP."""

import sys


def report(checks):
    """Prints checks, each a name and what is wrong, or nothing; and ends the program."""
    number = failed = 0
    for name, problem in checks:
        number += 1
        failed += bool(problem)
        print('not ' * bool(problem) + f'ok {number} - {name}', flush=True)
        for line in problem.splitlines():
            print('# ' + line)
    print(f'1..{number}')
    sys.exit(failed > 0)
