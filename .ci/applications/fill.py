"""Copies an application, and puts snippets of the documents into it.

A line "@@ docs/guide/quarkus.md / Handlers / 1" becomes the first example below the heading "Handlers" of that page. Other lines may have
${NAME} of the environment.
"""

import os
import pathlib
import re
import string
import sys

root, source, target = (pathlib.Path(each) for each in sys.argv[1:4])


def snippet(page, heading, number):
    text = (root / page).read_text()
    parts = re.split(r"^#+ (.*)$", text, flags=re.M)
    if heading not in parts[1::2]:
        sys.exit(f"{page} has no heading {heading}")
    body = parts[2 + 2 * parts[1::2].index(heading)]
    blocks = re.findall(r"^```\w+\n(.*?)^```$", body, flags=re.M | re.S)
    if len(blocks) < number:
        sys.exit(f"{page} has no example {number} below {heading}")
    return blocks[number - 1]


for file in sorted(source.rglob("*")):
    if not file.is_file():
        continue
    lines = []
    for line in file.read_text().splitlines(keepends=True):
        found = re.match(r"\s*@@ (\S+) / (.*) / (\d+)$", line)
        lines.append(snippet(found[1], found[2], int(found[3])) if found else string.Template(line).safe_substitute(os.environ))
    copy = target / file.relative_to(source)
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text("".join(lines))
