/**
 * Which file a setting includes, as git finds it. We watch these files, so another answer than git's
 * would let a change go unseen: the path stays as it is written, since a part of it can be a link.
 */
import { isAbsolute } from "node:path"
import { shellWord } from "../../../base/text/shell-word.ts"
import type { ConfigEntry } from "./config-cache.ts"
import { GitUnusableError } from "./errors.ts"

type Included =
  | { readonly kind: "none" }
  /** The file need not exist. */
  | { readonly kind: "file"; readonly path: string }
  /** Git alone can tell which (`~name/`, `%(prefix)/`: no path), or whether. */
  | { readonly kind: "unknown"; readonly path: string | undefined }

const INCLUDE = /^include(if\..*)?\.path$/s
/** Conditions whose answer changes with the files of the configuration alone, in one git directory. */
const STEADY = /^include(if\.(gitdir|gitdir\/i|hasconfig:remote\.\*\.url):.*)?\.path$/s

/**
 * @param home HOME of the git that read the setting.
 * @throws {GitUnusableError} for a file of unknown place that the repository's own settings include.
 */
export function includedBy(entry: ConfigEntry, home: string): Included {
  const { key, value, scope, file } = entry
  if (!INCLUDE.test(key)) return { kind: "none" }
  const path = Buffer.from(value, "latin1").toString("utf8")
  const found = locate(path, file, home)
  if (found === undefined && (scope === "local" || scope === "worktree")) throw refusal(path, entry)
  if (found === undefined || !STEADY.test(key)) return { kind: "unknown", path: found }
  return { kind: "file", path: found }
}

function locate(path: string, file: string | undefined, home: string): string | undefined {
  if (path.startsWith("~/")) return `${home}${path.slice(1)}`
  if (/^(~|%\(|:\()/.test(path)) return undefined
  return isAbsolute(path) ? path : `${file?.slice(0, file.lastIndexOf("/") + 1) ?? "/"}${path}`
}

const refusal = (path: string, { file = "", key }: ConfigEntry) =>
  new GitUnusableError(
    "git.repository_refused",
    `${file} includes ${path}, and only git can tell which file that is`,
    {
      hints: [
        `Name the file by its whole path: \`git config --file ${shellWord(file)} --edit\` has it under ${key}.`,
      ],
    },
  )
