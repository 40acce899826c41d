/** The forge of a repository, by the address of its remote. */
import { expect, test } from "vitest"
import type { ForgeConfig } from "../../config/config.ts"
import { KnownForges } from "./find-forge.ts"

const SET = { remote: "origin", pollMs: 1_000 }

const CORP = "https://git.corp/api/v4"
const GITEA = "https://git.corp/api/v1"
const EVIL = "https://evil.example/acme/demo"
const BOT = { tokenVariable: "GH_BOT_TOKEN" }

const find = (address: string, forge: Partial<ForgeConfig> = {}) =>
  new KnownForges(Date.now).find({ name: "app", forge: { ...SET, ...forge } }, address)

test.each([
  ["https://github.com/acme/demo.git", {}, "acme/demo on api.github.com"],
  ["git@gitlab.com:acme/tools/demo.git", {}, "acme/tools/demo on gitlab.com"],
  ["ssh://git@GitLab.com:22/acme/demo", {}, "acme/demo on gitlab.com"],
  ["git@git.corp:a/b/c/demo.git", { type: "gitlab", apiUrl: CORP }, "a/b/c/demo on git.corp"],
  ["https://git.corp/acme/demo", { type: "github", apiUrl: CORP }, "acme/demo on git.corp"],
  [
    "https://git.corp/x",
    { type: "github", apiUrl: "https://api.git.corp", project: "a/b" },
    "a/b on api.git.corp",
  ],
  ["git@work-alias:acme/demo", { type: "gitlab", apiUrl: CORP, project: "a/b" }, "a/b on git.corp"],
  [
    "git@gitlab.com:a/b",
    { type: "gitlab", tokenVariable: "GITLAB_BOT_TOKEN" },
    "a/b on gitlab.com",
  ],
  ["/srv/demo.git", { type: "gitlab", project: "acme/demo" }, "acme/demo on gitlab.com"],
  ["https://codeberg.org/acme/demo.git", {}, "acme/demo on codeberg.org"],
  ["ssh://git@gitea.com/acme/demo", {}, "acme/demo on gitea.com"],
  ["git@git.corp:acme/demo", { type: "gitea", apiUrl: GITEA }, "acme/demo on git.corp"],
] as const)("the host of the remote names the forge: %s [42.13]", (address, forge, place) => {
  expect(find(address, forge).place).toBe(place)
})

test.each([
  ["https://git.corp/acme/demo", {}, /`repos\.app\.forge\.type` .*git\.corp/],
  ["https://github.com.evil.example/acme/demo", {}, /github\.com\.evil\.example is not known/],
  ["https://github.com/acme/demo", BOT, /`repos\.app\.forge\.type`/],
  ["https://gitlab.com/acme/demo", BOT, /`repos\.app\.forge\.type`/],
  [EVIL, { type: "github" }, /`repos\.app\.forge\.api_url`/],
  [EVIL, { type: "gitlab", ...BOT }, /`repos\.app\.forge\.api_url`/],
  [EVIL, { type: "gitlab", apiUrl: CORP }, /on evil\.example, and .*api_url` is on git\.corp/],
  ["https://github.com/acme/tools/demo", {}, /`repos\.app\.forge\.project`/],
  ["https://github.com/acme/demo", { project: "a/b/c" }, /`repos\.app\.forge\.project` .*a\/b\/c/],
  ["/srv/demo.git", { type: "gitlab" }, /`repos\.app\.forge\.project`/],
  ["/srv/demo.git", { type: "gitea", project: "a/b" }, /`repos\.app\.forge\.api_url`.* its host/],
  ["https://gitea.com/acme/demo", { type: "gitea", ...BOT }, /`repos\.app\.forge\.api_url`/],
  ["https://codeberg.org/a/b", { type: "gitea", apiUrl: GITEA }, /on codeberg\.org, and/],
] as const)(
  "a forge that cannot be known is asked for by its key: %s [42.13]",
  (address, forge, hint) => {
    expect(() => find(address, forge)).toThrow(
      expect.objectContaining({ code: "forge.refused", hints: [expect.stringMatching(hint)] }),
    )
  },
)
