#!/usr/bin/env python3
"""Print "N passed, N failed, N skipped" for one of Meson's testlog.json, and fail when no test case ran.

Meson counts programs; most of ours hold many test cases and report them in TAP, so its log is read again here.
"""
import json
import re
import sys

CASE = re.compile(r'^(ok|not ok)\b(?:.*#\s*(skip))?', re.IGNORECASE | re.MULTILINE)


def count(program):
    cases = [('skipped' if skip else 'passed' if verdict.lower() == 'ok' else 'failed')
             for verdict, skip in CASE.findall(program['stdout'] or '')]
    # A program also counts by itself when it has no cases, or when it failed although its cases did not: it crashed.
    if program['result'] not in ('OK', 'SKIP'):
        return cases if 'failed' in cases else cases + ['failed']
    return cases or ['passed' if program['result'] == 'OK' else 'skipped']


def main():
    with open(sys.argv[1], encoding='utf-8') as log:
        cases = [case for line in log for case in count(json.loads(line))]
    passed, failed, skipped = (cases.count(result) for result in ('passed', 'failed', 'skipped'))
    if passed + failed == 0:
        print('No test was run.')
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed or not passed else 0


sys.exit(main())
