"""links.py PAGE...: the relative links of Markdown pages lead to files that exist, and to headings that these have."""
import os
import re
import sys

FENCE = re.compile(r'^ *(```|~~~)')
CODE = re.compile(r'`[^`]*`')
LINK = re.compile(r'\]\(([^()\s]+)\)')


def lines_of(page):
    """Each line outside code blocks, with its number."""
    inside = False
    with open(page, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            if FENCE.match(line):
                inside = not inside
            elif not inside:
                yield number, line


def anchors_of(page):
    """The anchors that GitHub makes of headings: lower case, without punctuation, "-" for a space, "-1" for the second of a name."""
    anchors = set()
    for _, line in lines_of(page):
        heading = re.match(r'#{1,6} +(.*?)(?: +#+)? *$', line)
        if heading:
            text = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading[1])
            name = re.sub(r'[^\w\- ]', '', text.lower()).replace(' ', '-')
            anchor, count = name, 0
            while anchor in anchors:
                count += 1
                anchor = f'{name}-{count}'
            anchors.add(anchor)
        anchors.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
    return anchors


def faults_of(page):
    for number, line in lines_of(page):
        for link in LINK.findall(CODE.sub('', line)):
            if re.match(r'[a-z]+:', link):
                continue
            path, _, anchor = link.partition('#')
            to = os.path.join(os.path.dirname(page), path) if path else page
            if not os.path.exists(to):
                yield f'{page}:{number}: {link}: no such file'
            elif anchor and anchor not in anchors_of(to):
                yield f'{page}:{number}: {link}: no such heading'


faults = [fault for page in sys.argv[1:] for fault in faults_of(page)]
print('\n'.join(faults))
sys.exit(bool(faults))
