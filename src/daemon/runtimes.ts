/** Makes the runtimes of agents, by those of the features. */
import type { Feature, MakeRuntime } from "../api/feature.ts"
import { assert } from "../base/assert.ts"
import type { AgentConfig } from "../config/config.ts"
import type { RuntimeName } from "../config/runtimes.ts"
import type { Runtime } from "../kernel/runtime/runtime.ts"
import { FEATURES } from "./features.ts"

type Makers = Readonly<Record<RuntimeName, MakeRuntime>>

/** Every runtime has one maker. */
export function makersOf(features: readonly Feature[]): Makers {
  const all = features.map(({ runtimes = {} }) => runtimes)
  const names = all.flatMap((makers) => Object.keys(makers))
  assert(new Set(names).size === names.length, "a runtime has one maker")
  return Object.assign({}, ...all) as Makers
}

const MAKERS = makersOf(FEATURES)

export function runtimeOf(agent: AgentConfig): Runtime {
  const made = MAKERS[agent.runtime](agent, process.env)
  return FEATURES.reduce((runtime, { wrap }) => wrap?.(runtime, agent) ?? runtime, made)
}
