/**
 * Makes the transcript in README.md: what `coppice run` prints in a repository without any
 * configuration, with the real agent program and a scripted model.
 *
 * Replaces values that differ between runs: times, ids, folders.
 */
import { strict as assert } from "node:assert"
import { join } from "node:path"
import { reply } from "../demo/model.ts"
import { ScratchProject } from "../demo/scratch-project.ts"
import { DEMO_TASKS } from "../demo/tasks.ts"
import { coppice, LAUNCHER, ScratchHome } from "../test/support/home.ts"
import { MessagesApi } from "../test/support/messages-api.ts"

const TASK = DEMO_TASKS.words
const BLOCK = /(<!-- transcript -->\n)[^]*?(<!-- \/transcript -->)/

const SESSION = "7f0c9e52-41d8-4b6a-9c3e-2a85d1b04f67"
/** In the order in which commits appear. */
const COMMITS = ["5d3c0a91", "e27b64f8"]

/** @returns `readme` with the transcript of a run that happens now. */
export async function withTranscript(readme: string): Promise<string> {
  assert(BLOCK.test(readme), "README.md has a place for the transcript")
  const command = `$ cd your-repo && coppice run "${TASK.prompt}"`
  const block = ["```console", command, await recordRun(), "```", ""].join("\n")
  return readme.replace(BLOCK, (_, open, close) => `${open}${block}${close}`)
}

async function recordRun(): Promise<string> {
  await using home = new ScratchHome()
  await using api = await MessagesApi.start((ask) => reply(TASK, ask))
  const env = home.env({ ...api.env, PATH: process.env["PATH"]!, TMPDIR: home.path })
  const project = new ScratchProject(join(home.path, "your-repo"), env)
  const { code, stdout, stderr } = await coppice(project.path, ["run", TASK.prompt], {
    env,
    bin: LAUNCHER,
  })
  if (code !== 0) throw new Error(`coppice run ended with ${code}:\n${stdout}${stderr}`)
  return madeEven(stdout.trimEnd().replaceAll(home.path, "/home/you"))
}

function madeEven(text: string): string {
  let seconds = 0
  const time = () => `10:24:${String(seconds++).padStart(2, "0")}`
  const commits = new Set<string>()
  const commit = (oid: string) => COMMITS[[...commits.add(oid)].indexOf(oid)] ?? oid
  return text
    .replaceAll(/^\d\d:\d\d:\d\d/gm, time)
    .replaceAll(/gate passed after \w+/g, "gate passed after 1s")
    .replaceAll(/ended after \w+/g, "ended after 8s")
    .replaceAll(/changed( +)\w+ ago, made \w+ ago/g, "changed$10s ago, made 9s ago")
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, SESSION)
    .replaceAll(/\b[0-9a-f]{8}\b(?!-)/g, commit)
}
