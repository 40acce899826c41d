/**
 * Checks which kinds of containment this machine can do: the sandbox, and the engines of containers
 * with their versions.
 *
 * A kind that no agent of the home wants is never a failure.
 */

import { askProgram } from "../../api/client/ask-program.ts"
import type { AgentConfig } from "../../config/config.ts"
import type { Env } from "../../config/substitute.ts"
import { findOnPath } from "../../kernel/process/find-program.ts"
import type { ContainerConfig } from "../containment/rules/containment.ts"
import { buildHint, DEVCONTAINER } from "../containment/rules/devcontainer.ts"
import {
  ENGINES,
  type EngineFacts,
  type EngineName,
  INSTALL_ENGINE,
  questionFor,
  readFacts,
} from "../containment/rules/engines.ts"
import { INSTALL_SANDBOX, SANDBOX_PROBE } from "../containment/rules/sandbox-probe.ts"
import { systemCallFilter } from "../containment/rules/system-calls.ts"
import { type Check, failedCheck, notHeld, passedCheck } from "./doctor-check.ts"

export async function checkContainment(agents: readonly AgentConfig[], env: Env): Promise<Check[]> {
  const wanted = agents.flatMap(({ containment }) => containment.container ?? [])
  const installed = ENGINES.filter((name) => findOnPath(name, env["PATH"]))
  const engines = await Promise.all(
    installed.map(async (name) => ({ name, facts: await examine(name, env) })),
  )
  const [first] = engines.filter(({ facts }) => facts.kind === "usable")
  const isNeeded = (name: EngineName) =>
    wanted.some(({ engine }) => engine === name || (engine === undefined && !first))
  return [
    await checkSandbox(agents, env),
    ...engines.map((one) => engineCheck(one, isNeeded(one.name), first !== undefined)),
    ...missingEngines(wanted, installed),
    ...(await checkImages(wanted, engines, env)),
  ]
}

async function checkSandbox(agents: readonly AgentConfig[], env: Env): Promise<Check> {
  const answer = await askProgram(SANDBOX_PROBE, env)
  if ("said" in answer) {
    const works = passedCheck("sandbox", "`containment: sandbox` works here")
    return systemCallFilter(process.arch) ? works : notHeld(works, "43.33") // calls that no filter stops
  }
  const text = `\`containment: sandbox\` does not work here: ${answer.refused}`
  const hint = INSTALL_SANDBOX.join(" ")
  const isWanted = agents.some(({ containment }) => containment.by === "sandbox")
  const check = isWanted ? failedCheck("sandbox", text, hint) : passedCheck("sandbox", text)
  return { ...notHeld(check, "47.10", "47.11"), hint } // a task that needs it does not start
}

type Examined = { readonly name: EngineName; readonly facts: EngineFacts }

const examine = async (name: EngineName, env: Env): Promise<EngineFacts> =>
  readFacts(name, await askProgram([name, ...questionFor(name)], env))

/** @param hasOther another engine works: one is enough, so there is nothing to do about this one. */
function engineCheck({ name, facts }: Examined, isNeeded: boolean, hasOther: boolean): Check {
  const called = `containers ${name}`
  if (facts.kind === "usable") {
    const works = passedCheck(called, `${name} ${facts.version}`)
    return name === "docker" ? notHeld(works, "43.39") : works // paths replaced before the mount
  }
  const { why, hint } = facts
  if (isNeeded) return failedCheck(called, why, hint)
  return hasOther ? passedCheck(called, why) : { ...passedCheck(called, why), hint }
}

type Wanted = Pick<ContainerConfig, "image" | "engine" | "devcontainer">

function missingEngines(wanted: readonly Wanted[], installed: readonly EngineName[]): Check[] {
  const absent = ENGINES.filter((name) => !installed.includes(name))
  const named = absent.filter((name) => wanted.some(({ engine }) => engine === name))
  const checks = named.map((name) =>
    failedCheck(`containers ${name}`, `there is no program ${name}`, INSTALL_ENGINE),
  )
  if (installed.length > 0 || named.length > 0) return checks
  const text = `none of these is on the PATH: ${ENGINES.join(", ")}`
  return [
    wanted.length > 0
      ? failedCheck("containers", text, INSTALL_ENGINE)
      : { ...passedCheck("containers", text), hint: INSTALL_ENGINE },
  ]
}

type Asked = Wanted & { readonly engine: EngineName }

/** An image that is missing is fetched by a person, never by us. */
async function checkImages(
  wanted: readonly Wanted[],
  engines: readonly Examined[],
  env: Env,
): Promise<Check[]> {
  const usable = engines.filter(({ facts }) => facts.kind === "usable").map(({ name }) => name)
  const asked = new Map<string, Asked>()
  for (const { image, devcontainer, engine = usable[0] } of wanted)
    if (engine && usable.includes(engine))
      asked.set(`${engine} ${image}`, { engine, image, devcontainer })
  const answers = [...asked.values()].map(async ({ engine, image, devcontainer }) => {
    const question = ["image", "inspect", "--format", "{{.Id}}", image]
    const answer = await askProgram([engine, ...question], env)
    if ("said" in answer) return passedCheck(`image ${image}`, `${engine} has it`)
    const hint = devcontainer
      ? buildHint(engine, image, findOnPath(DEVCONTAINER, env["PATH"]) !== undefined)
      : `\`${engine} pull ${image}\` fetches it.`
    return failedCheck(`image ${image}`, `${engine} has no image ${image}`, hint)
  })
  return await Promise.all(answers)
}
