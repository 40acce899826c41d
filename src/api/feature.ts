/**
 * A feature, as the daemon sees it: one value in the index.ts of its folder.
 *
 * Every part is optional. The daemon is the kernel plus a list of these (daemon/features.ts). A feature that needs more
 * than these parts asks for a new one, which a second feature would use too; else its need belongs to the kernel.
 * Plain tables name what is in its folder: commands, routes with their schemas, keys of coppice.yml, tables.
 */

import type { FastifyInstance } from "fastify"
import type { Logger } from "pino"
import type { AgentConfig } from "../config/config.ts"
import type { RuntimeName } from "../config/runtimes.ts"
import type { Runtime } from "../kernel/runtime/runtime.ts"
import type { Db } from "../kernel/store/open.ts"
import type { Section, WhyPart } from "./documents/feature-parts.ts"
import type { Host, Part, Serving } from "./feature-host.ts"
import type { Handlers } from "./handler.ts"
import type { Verbs } from "./verb.ts"

export type Feature = {
  /** The name of the feature's folder. */
  readonly name: string
  /** The features whose files it imports. */
  readonly uses?: readonly string[]
  /** Handlers of its rows in api/wire/routes.ts. Each route has one handler in the whole program. */
  readonly routes?: Partial<Handlers>
  /** A part of a task's document, whose keys stand in the schema, api/wire/tasks.ts. */
  readonly section?: Section
  /** Facts and sentences about the wait of a task, for `why` and for lists. */
  readonly why?: WhyPart
  /** Handlers of its rows in api/wire/verbs.ts: what an agent may ask. Each verb has one handler too. */
  readonly verbs?: Partial<Verbs>
  /** Makes the agents of these runtimes. The configuration has checked that an agent has what it needs. */
  readonly runtimes?: Partial<Record<RuntimeName, MakeRuntime>>
  /** Puts something around every runtime, outside of those before it in the list. */
  wrap?(runtime: Runtime, agent: AgentConfig): Runtime
  /** Adds what the table of routes cannot say. The server's own hooks check these requests too. */
  serve?(server: FastifyInstance, serving: Serving): void
  /** Makes its loops and its parts of the fleet. `serve` may be one of these parts. */
  create?(host: Host): Part
  /** Before anything else of the home: ends, or follows, what an earlier daemon left. */
  open?(home: OpenedHome): Promise<void>
  /** Begins a watch that does not wait until a person has approved the configuration. */
  watch?(store: WatchedStore): Watch | Promise<Watch>
  /**
   * Whether rows of the feature wait for an act of the daemon. A daemon that a command started then stays, also for
   * `down --if-idle`.
   */
  needsDaemon?(db: Db): boolean
  /** Called when the daemon's address is written, at its start and at its end. */
  publish?(at: Published): void
}

/** A feature of a running daemon. */
export type RunningFeature = Feature & Part

/** @param env of the daemon. */
export type MakeRuntime = (agent: AgentConfig, env: NodeJS.ProcessEnv) => Runtime

type OpenedHome = { readonly db: Db; readonly home: string; readonly stateDir: string }
type WatchedStore = { readonly db: Db; readonly log: Logger }
type Published = { readonly stateDir: string; readonly address: string; readonly home: string }

export type Watch = {
  /** When it settles, the store may be closed. */
  stop(): void | Promise<void>
  /** A sentence for each, for a person. */
  problems(nowMs: number): readonly string[]
}
