/** The parts of a running daemon, as its actions and routes see them. */
import type { AgentConfig, Config, RepoConfig } from "../core/config.ts"
import type { World } from "../core/world.ts"
import type { Runtime } from "../runtimes/runtime.ts"
import type { Db } from "../store/open.ts"

export type Fleet = {
  /** Real path of the home. */
  readonly home: string
  readonly config: Config
  readonly db: Db
  readonly world: World
  runtime(agent: AgentConfig): Runtime
  /** The agent of this name; the first one's settings where it is not configured any more. */
  agentConfig(name: string): AgentConfig
  /** The repository at this path; defaults where it is not configured any more. */
  repoConfig(path: string): RepoConfig
}
