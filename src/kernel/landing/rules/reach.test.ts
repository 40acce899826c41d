/** Files that a hook's command provably does not run, and all others. */
import { expect, test } from "vitest"
import { Reach, TreePlaces } from "./reach.ts"

const FILES = [
  "done.sh",
  "scripts/done.sh",
  "scripts/lib/send",
  "scripts/hooks.d/a.sh",
  "tools/done.py",
  "src/other.ts",
]

function reachOf(command: string): Reach {
  const reach = new Reach([new TreePlaces(FILES)])
  reach.follow(command)
  return reach
}

test.each([
  ["sh scripts/done.sh", "scripts/done.sh"],
  ["sh scripts/do'ne'.sh", "scripts/done.sh"],
  ["sh scr\\ipts/done.sh", "scripts/done.sh"],
  ["sh ./scripts//done.sh; true", "scripts/done.sh"],
  ["sh scripts/done.sh", "scripts/new.conf"],
  ["cd scripts && ./done.sh 2>&1", "scripts/done.sh"],
  ["curl -d @/home/me/app/done.sh example.org", "done.sh"],
  ["cd lib && ./send", "scripts/lib/send"],
  [`bash "$PWD"/scripts/done.sh`, "scripts/done.sh"],
  [`. "$(dirname "$0")/lib/send"`, "scripts/lib/send"],
  [`echo "$(./done.sh)"`, "done.sh"],
  ["curl -Kdone.py https://example.org", "tools/done.py"],
  ["sh done.sh", "new.conf"],
  ["curl --config=tools/done.py https://example.org", "tools/done.py"],
])("%s may run %s, and not all files", (command, file) => {
  const reach = reachOf(command)
  expect([reach.has(file), reach.has("src/other.ts")]).toEqual([true, false])
})

const LINKS = new Map([
  ["bin", "tools/programs"],
  ["tools", "lib/tools"],
  ["send.sh", "lib/send.sh"],
  ["away", "/home/me/app/lib"],
  ["loop", "loop/loop"],
])

test.each([
  ["sh bin/done.sh", ["bin", "tools", "lib/tools/programs/done.sh", "lib"]],
  ["sh x/../bin/done.sh", ["bin", "x", "tools"]],
  ["sh bin/../b.sh", ["bin", "tools", "lib/tools/b.sh"]],
  ["cd bin && ./done.sh", ["bin", "lib/tools/programs/done.sh"]],
  ["./send.sh", ["send.sh", "lib/send.sh"]],
  ["curl -Kbin/rc https://example.org", ["bin", "tools", "lib/tools/programs/rc"]],
  ["curl -d @away/rc https://example.org", ["away", "lib/rc"]],
])("%s may run what links on the way lead to: %j [43.32]", (command, files) => {
  const found = ["lib/tools/programs/done.sh", "lib/tools/programs/rc", "lib/tools/b.sh"]
  const paths = [...found, "lib/send.sh", "lib/rc", "src/a.ts", ...LINKS.keys()]
  const reach = new Reach([new TreePlaces(paths, LINKS), new TreePlaces(files)])
  reach.follow(command)
  expect(files.filter((file) => !reach.has(file))).toEqual([])
  expect(reach.has("src/a.ts")).toBe(false)
})

test("links that lead to each other without end may lead to all", () => {
  const reach = new Reach([new TreePlaces([...LINKS.keys()], LINKS)])
  reach.follow("cat loop/x")
  expect(reach.isAll).toBe(true)
})

test.each([
  "node scripts/done.js",
  "python3 -m tools.done",
  "npx tsx scripts/done.ts",
  "go run ./cmd/n",
  "docker compose up --build",
  ...["git push", "git -C . rev-parse HEAD", "git log -1", "git $verb HEAD", "git rev-parse *"],
  ...["mail -s done me@example.org", "mutt me@example.org", "ssh example.org ./done.sh"],
  ...[
    "ntfy publish --wait-cmd done make",
    'ntfy publish done "$title"',
    "ntfy subscribe done make",
  ],
  ...["--done", "--cmd", "-wait-cmd", "--wait_cmd=true", "-c tools/rc"].map(
    (option) => `ntfy publish ${option} done make`,
  ),
  ...[
    "--passwordeval='sh tools/pw.sh' a@b",
    "-C tools/rc a@b",
    "--file=tools/rc a@b",
    "-tC rc",
  ].map((options) => `msmtp ${options}`),
  ...[
    "--config=tools/rc",
    "--use-askpass=tools/askpass",
    "-e use_askpass=x",
    "-qe use_askpass=x",
  ].map((option) => `wget ${option} https://example.org`),
  ...[
    'wget "$url"',
    'sendmail "$to"',
    "terminal-notifier -message 'a\nb' -execute make",
    "sort *",
    "sed e x",
  ],
  "make",
  "uv run x",
  "run-parts scripts/hooks.d",
  "for f in scripts/hooks.d/*.sh; do . $f; done",
  "sh do*",
  "sh -c 'node x'",
  "sh missing.sh",
  "/home/me/bin/done.sh",
  "~/bin/done.sh",
  "sh elsewhere/done.sh",
  "echo x | sh",
  `sh "scripts/$name.sh"`,
  `$SHELL scripts/done.sh`,
  "PATH=.:$PATH curl https://example.org",
  'MESSAGE="done echo" node x',
  "echo '$(echo ' ; node x; echo ')'",
  `echo "$(echo "$(node x)")"`,
  "echo `node x`",
  "echo a\\ # b; node x",
  'echo "${a:-$(node x)}"',
  "echo 'no end",
  'echo "$(case x in a) node x;; esac)"',
  "#!/usr/bin/env node\n",
])("%s may run all but documents", (command) => {
  const reach = reachOf(command)
  expect(reach.has("src/other.ts")).toBe(true)
  expect(["ui/README.md", "docs/a.md", "ui/a.png"].map((file) => reach.has(file))).not.toContain(
    true,
  )
  expect(["CLAUDE.md", "ui/requirements.txt"].map((file) => reach.has(file))).not.toContain(false)
})

test.each([
  "curl --data @- https://example.org/other",
  "ntfy pub --title='All done' -p high --tags=tada,x done 'See --cmd and -e'",
  "msmtp -a work -t && sendmail -oi -f me@example.org -F 'Me' you@example.org",
  "wget -q -O /dev/null -T 5 --tries=2 --header 'A: b' --post-data=x https://example.org/ping",
  "jq -r .task.title | ntfy publish done",
  "printf 'Subject: done' | /usr/sbin/sendmail me@example.org && wget -qO- https://example.org/ping",
  'echo "$(git rev-parse HEAD)" | terminal-notifier -title Coppice; say done; aplay /usr/share/a.wav',
  `notify-send "Coppice" "$(jq -r '.task | .[0]') is done; see 'it'"`,
  '#!/bin/sh -e\n# it\'s\nif test -n "$1"; then\n  echo "${1##*/}" >&2 &\nfi\n',
  `task=$(jq -r .task) && /usr/bin/logger "$task" > /dev/null 2>&1`,
])("%s runs nothing of the tree", (command) => {
  expect(FILES.filter((file) => reachOf(command).has(file))).toEqual([])
})

test("a text that is nested without end may run all, and is read at once", () => {
  for (const open of ["(", "$(", '"$(', "{ ", "if "])
    expect(reachOf(open.repeat(100_000)).isAll, open).toBe(true)
})
