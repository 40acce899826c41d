import { expect, test } from "vitest"
import { decide } from "../rules.ts"

const NONE = { default: "allow", allow: [], ask: [], deny: [] } as const
const decided = (command: string, rules: object) =>
  decide({ ...NONE, ...rules }, { tool: "Bash", input: { command } }, "/work/tree")

test.each([
  ...["a && touch x", "a; touch x", "a || touch x", "a | touch x", "a & touch x", "a\ntouch x"],
  ...[
    "(touch x)",
    "{ touch x; }",
    "! touch x",
    "if a; then touch x; fi",
    "while touch x; do b; done",
  ],
  ...[
    "$(touch x)",
    "`touch x`",
    'echo "$(touch x)"',
    'echo "`touch x`"',
    "cat <(touch x)",
    "a >(touch x)",
  ],
  ...[
    "bash -c 'touch x'",
    'sh -c "touch x"',
    "/bin/dash -ec 'a; touch x'",
    "bash -lc 'touch x' name",
  ],
  ...["bash -o pipefail -c 'touch x'", "bash -c 'bash -c \"touch x\"'", "zsh -c $'touch x'"],
  ...['echo "$(bash -c "touch x")"', "bash -c 'echo $(touch x)'", "busybox sh -c 'touch x'"],
  ...["env A=b touch x", "env -i -u HOME A=b touch x", "env -S 'touch x'", "/usr/bin/env touch x"],
  ...["command touch x", "builtin exec touch x", "exec -a name touch x", "nohup touch x &"],
  ...["timeout 5 touch x", "timeout -k 1 -s TERM 5s touch x", "timeout --signal=TERM 5 touch x"],
  ...["timeout --kill-after 1 5 touch x", "nice -n 5 touch x", "nice touch x", "time touch x"],
  ...["a | xargs touch", "a | xargs -0 -n 1 touch", "xargs -I{} touch {}", "xargs -I {} touch {}"],
  ...[
    "sudo touch x",
    "sudo -u root touch x",
    "sudo -EH A=b touch x",
    "sudo -- touch x",
    "doas touch x",
  ],
  ...["flock -w 5 lock touch x", "watch -n 1 'touch x'", "watch touch x", "eval -- touch x"],
  ...[
    "su - root -c 'touch x'",
    "script -q -c 'touch x' out",
    "trap 'touch x' EXIT",
    "chroot / touch x",
  ],
  ...["sudo env A=b nohup bash -c 'timeout 5 touch x'", "setsid touch x", "stdbuf -oL touch x"],
  ...[
    "find . -name a -exec touch {} \\;",
    "find . -execdir touch {} +",
    "eval 'touch x'",
    "eval touch x",
  ],
  ...[
    "/bin/touch x",
    "'touch' x",
    "t\\ouch x",
    '"to"uch x',
    "\\touch x",
    "touch\\\n x",
    "A=1 B=2 touch x",
  ],
  ...[">y touch x", "2>&1 touch x", "touch>y x", "<y touch x", "a 2>&1 | touch x"],
  ...["# it's\ntouch x", "cat <<E\nit's\nE\nbash -c 'touch x'", "echo 'a' # '\ntouch x"],
])("`deny: Bash(touch *)` sees it in %j [9.11]", (line) => {
  expect(decided(line, { deny: ["Bash(touch *)"] })).toBe("deny")
  expect(decided(line, { ask: ["Bash(touch *)"] })).toBe("ask")
})

test.each([
  ...[
    "echo touch x",
    "grep touch x",
    "sudo grep touch x",
    "command -v touch",
    "timeout 5 grep touch x",
  ],
  ...[
    "git commit -m 'touch x'",
    "bash touch x",
    "bash -c 'grep touch x' touch",
    "env A=touch ls",
    "touchx",
  ],
  ...[
    "find . -name touch",
    "echo a >touch",
    "echo '$(grep touch)'",
    "xargs -n touch ls",
    "ls # touch x",
  ],
])("`deny: Bash(touch *)` does not see it in %j", (line) => {
  expect(decided(line, { deny: ["Bash(touch *)"] })).toBe("allow")
})

test("a command is allowed if each part of it is, also inside of others [9.11]", () => {
  const allow = ["Bash(bash *)", "Bash(sudo *)", "Bash(ls *)", "Bash(xargs *)"]
  const rules = { default: "ask", allow }
  for (const line of ["ls -l", "bash -c 'ls'", "sudo ls", "ls | xargs ls", "sudo bash -c 'ls -l'"])
    expect([line, decided(line, rules)]).toEqual([line, "allow"])
  for (const line of ["bash -c 'rm x'", "sudo rm x", "ls | xargs rm", "bash -c 'ls; rm x'"])
    expect([line, decided(line, rules)]).toEqual([line, "ask"])
  expect(decided("bash -c 'ls'", { default: "ask", allow: ["Bash(ls *)"] })).toBe("ask")
  expect(decided("sudo rm x", { default: "ask", allow: ["Bash"] })).toBe("allow")
})

test("a long or deep line is read before the test times out", () => {
  for (const piece of [
    "$(",
    "`",
    '"',
    "'",
    "env ",
    "bash -c '",
    "a;",
    "<<",
    "\\",
    "(",
    "sudo -u ",
    "find -exec ",
  ])
    expect(decided(piece.repeat(5_000), { deny: ["Bash(touch *)"] })).toBe("allow")
})
