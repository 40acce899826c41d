/** Files that git calls changed in every fresh checkout: what is committed, and the attributes that came after it. */
import { utimesSync } from "node:fs"
import { join } from "node:path"
import type { TestRepo } from "./repo.ts"

type Converted = {
  readonly attributes: string
  readonly content: string
  /** As a person configures it. */
  readonly filter?: { readonly clean: string; readonly smudge: string }
}

export const CONVERTED: Readonly<Record<string, Converted>> = {
  "CRLF in a text": { attributes: "text eol=crlf", content: "one\r\ntwo\r\n" },
  "both line ends in a text": { attributes: "text eol=crlf", content: "one\r\ntwo\nthree\r\n" },
  "CRLF where LF is wanted": { attributes: "text eol=lf", content: "one\r\ntwo\r\n" },
  "an `$Id$` of another system": { attributes: "ident", content: "$Id: f 7 by a $\n" },
  "an `$Id$` that git replaces": { attributes: "ident", content: "$Id: 0123abcd $\n" },
  "a file from before its filter": {
    attributes: "filter=way",
    content: "one\n",
    filter: { clean: "sed s/^/pointer:/", smudge: "sed s/^pointer://" },
  },
  "a filter that works one way": {
    attributes: "filter=way",
    content: "one\n",
    filter: { clean: "sed s/$/!/", smudge: "sed s/^/?/" },
  },
}

/** Commits `f` as it is, then its attributes. */
export function commitConverted(repo: TestRepo, { attributes, content, filter }: Converted): void {
  for (const [name, command] of Object.entries(filter ?? {}))
    repo.userConfig(`filter.way.${name}`, command)
  repo.commit({ f: content })
  repo.write({ ".gitattributes": `f ${attributes}\n` })
  repo.git("add", ".gitattributes")
  repo.git("commit", "--quiet", "--message", "attributes")
}

/** Git rereads the file from now on. */
export const touch = (worktree: string): void => utimesSync(join(worktree, "f"), 1, 1)
