import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { withRepoLock } from "../../workspaces/locks/repo-lock.ts"
import { listReaching } from "./file-programs.ts"
import { approveProgramsBy, guardFencesIf, overrule } from "./programs.ts"

afterEach(() => {
  approveProgramsBy(() => false)
  guardFencesIf(() => false)
})

const reaches = (value: string) => listReaching([{ key: "filter.x.clean", value }]).length > 0

test.each([
  "git-lfs clean -- %f",
  "git-lfs filter-process --skip",
  "/opt/homebrew/bin/git-lfs smudge -- %f",
  '"git-crypt" clean --key-name=work',
  "tr a-z A-Z",
  "nbstripout",
  "/usr/local/bin/strip --quiet -t -- %f",
  "~/bin/strip",
  "sh ~/bin/strip -",
  "'/home/me/my tools/strip' --config=/etc/strip -t",
  "/home/me/bin/merge %O %A %B %L -- %P",
  "",
])("%j runs no file of the tree [43.44]", (command) => {
  expect(reaches(command)).toBe(false)
})

test.each([
  ...["sh tools/clean.sh", "tools/clean.sh", "./clean", "../clean", ". clean", "sh clean"],
  ...["python3 -m nbx", "python3 -mnbx", "python3 -Bmnbx", "sh -c 'tools/clean'", "perl -Ilib"],
  ...["/usr/bin/python3 -m nbx", "cat | sh", "cat;./x", "cat\n./x", "cat && ./x", "cat `./x`"],
  ...["cat $(./x)", "X=1 cat", "PATH=. strip", "$HOME/../x", "strip --config=rc", "strip %f"],
  ...['git-lfs clean -- "%f"', "git-lfs clean -- '%f'", "/home/me/filters/%f", "npx strip"],
  ...["~other/strip", "strip /etc/../%P", "strip #x", "{ cat; }", "c\\at", "a'b'c", "(cat)"],
])("%j could run a file of the tree [43.44]", (command) => {
  expect(reaches(command)).toBe(true)
})

test("an absolute path where work of agents is checked out reaches the tree [43.44]", async () => {
  using repo = new TestRepo()
  const tool = join(repo.path, "README.md")
  expect(reaches(tool)).toBe(false)
  await withRepoLock(join(repo.path, ".git"), async () => {}) // from now on agents land here
  const missing = [join(repo.path, "new"), join(repo.path, "tools/deep/new")]
  for (const command of [tool, `sh ${tool}`, `strip --config=${tool}`, ...missing])
    expect(reaches(command), command).toBe(true)
})

test("with a contained agent both halves of such a filter give way, of the user's and of an approved one [43.44]", () => {
  const entry = (scope: string, key: string, value: string) => ({ scope, key, value, file: "f" })
  const config = [
    entry("global", "filter.lfs.clean", "git-lfs clean -- %f"),
    entry("global", "filter.nb.clean", "sh tools/clean.sh"),
    entry("global", "filter.nb.smudge", "cat"),
    entry("global", "merge.mine.driver", "npx merge %A"),
    entry("local", "diff.own.textconv", "tools/show"),
  ]
  const place = { commonDir: "/repo/.git", sections: "" }
  const textconv = ["diff.own.textconv", "cat"]
  expect(overrule(config, place).overrides).toEqual([textconv])
  guardFencesIf(() => true)
  const guarded = [
    ["filter.nb.clean", ""],
    ["filter.nb.smudge", ""],
    ["merge.mine.driver", "false"],
  ]
  const overrides = () => overrule(config, place).overrides.filter(([key]) => !/^lfs/.test(key))
  expect(overrides()).toEqual([textconv, ...guarded])
  approveProgramsBy(() => true)
  expect(overrides()).toEqual([...guarded, textconv])
})
