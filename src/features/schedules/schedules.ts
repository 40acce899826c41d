/**
 * Runs the schedules of coppice.yml: a row for each, and one timer to the next start.
 *
 * They follow the approved configuration, as everything does that runs. A schedule that cannot create
 * its task is tried again until it can, and `coppice status` says why.
 */

import { iso } from "../../api/documents/row-documents.ts"
import type { FleetParts } from "../../api/fleet.ts"
import { followConfig } from "../../config/live/follow-config.ts"
import type { LiveConfig } from "../../config/live/live-config.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { StoreLoop } from "../../kernel/store/loop.ts"
import { fireSchedule, type Scheduled, triggerSchedule } from "./fire.ts"
import { alignSchedules, switchSchedule } from "./rows/change.ts"
import { findNextStart, findSchedule, findUnfinishedOf, listDueSchedules } from "./rows/find.ts"
import { timingText } from "./rules.ts"
import type { ScheduleDocument } from "./wire.ts"

/** Tasks that are created at the same time: each asks git some questions. */
const CREATED_MAX = 4

export type SchedulesContext = Parameters<typeof fireSchedule>[0] & {
  readonly live: Pick<LiveConfig, "current" | "isUnapproved">
}

export class Schedules implements Pick<FleetParts["schedules"], "trigger" | "switch"> {
  readonly #context: SchedulesContext
  readonly #loop: StoreLoop<string>
  readonly #onError: (schedule: string | undefined, error: unknown) => void
  #driven = 0
  #unfollow = () => {}

  constructor(
    context: SchedulesContext,
    onError: (schedule: string | undefined, error: unknown) => void,
  ) {
    this.#context = context
    this.#onError = onError
    const { db, world, live } = context
    this.#loop = new StoreLoop<string>(db, {
      onError,
      list: (busy) => {
        if (live.isUnapproved) return []
        const due = listDueSchedules(db, world.nowMs()).map(keyOf)
        const free = Math.max(0, CREATED_MAX - this.#driven)
        return due.filter((key) => !busy.has(key)).slice(0, free)
      },
      drive: (key) => this.#drive(key),
      isWithdrawn: () => false,
      wakeInMs: () => {
        const nowMs = world.nowMs()
        const atMs = findNextStart(db, nowMs)
        return atMs === undefined ? undefined : atMs - nowMs
      },
      neverGivesUp: () => true,
    })
  }

  start(): void {
    const { db, world, live } = this.#context
    this.#unfollow = followConfig({
      live,
      nowMs: () => world.nowMs(),
      apply: () => alignSchedules(db, this.#configured(), world.nowMs()),
      onError: (error) => this.#onError(undefined, error),
    })
    this.#loop.start()
  }

  async stop(): Promise<void> {
    this.#unfollow()
    await this.#loop.stop()
  }

  documents(): ScheduleDocument[] {
    return this.#configured().map((one) => this.#document(one))
  }

  async trigger(ref: string, key: string | undefined) {
    return await triggerSchedule(this.#context, this.#find(ref), key)
  }

  switch(ref: string, isOn: boolean): ScheduleDocument {
    const { db, world } = this.#context
    const one = this.#find(ref)
    switchSchedule(db, one, isOn, world.nowMs())
    return this.#document(one)
  }

  async #drive(key: string): Promise<void> {
    this.#driven++
    try {
      const one = this.#configured().find((other) => keyOf(other) === key)
      if (one) await fireSchedule(this.#context, one)
    } finally {
      this.#driven--
    }
  }

  #configured(): readonly Scheduled[] {
    return this.#context.live.current.agents.flatMap(({ name: agent, schedules }) =>
      schedules.map((one) => ({ ...one, agent })),
    )
  }

  /** @param ref `agent/name`, or a name or agent that fits one schedule alone. */
  #find(ref: string): Scheduled {
    const all = this.#configured()
    const fitting = [keyOf, ({ name }: Scheduled) => name, ({ agent }: Scheduled) => agent]
    const found = fitting.map((part) => all.filter((one) => part(one) === ref))
    const [only, another] = found.find((some) => some.length > 0) ?? []
    const list = (some: readonly Scheduled[]) => some.map((one) => `\`${keyOf(one)}\``).join(", ")
    if (!only)
      throw new DaemonError("schedule.unknown", `There is no schedule \`${ref}\`.`, [
        all.length > 0
          ? `Schedules here: ${list(all)}.`
          : "Write one into coppice.yml, under `agents.<name>.schedules`.",
      ])
    if (another)
      throw new DaemonError("schedule.ambiguous", `\`${ref}\` may mean several schedules.`, [
        `Name one of ${list(found.flat())}.`,
      ])
    return only
  }

  #document(one: Scheduled): ScheduleDocument {
    const { db, world } = this.#context
    const { agent, name, timing } = one
    const row = findSchedule(db, one)
    const dueAtMs = row?.dueAtMs ?? null
    return {
      agent,
      name,
      timing: timingText(timing),
      enabled: dueAtMs !== null,
      nextAt: dueAtMs === null ? null : iso(Math.max(dueAtMs, world.nowMs())),
      lastAt: row?.firedAtMs == null ? null : iso(row.firedAtMs),
      problem: dueAtMs === null ? null : this.#problemOf(one),
    }
  }

  #problemOf(one: Scheduled): string | null {
    const rest = this.#loop.findRest(keyOf(one))
    if (rest) return rest.text
    const unfinished =
      one.overlap || one.source !== undefined ? undefined : findUnfinishedOf(this.#context.db, one)
    return unfinished === undefined ? null : `task ${unfinished} has not ended`
  }
}

/** Neither name holds a slash. */
const keyOf = ({ agent, name }: Pick<Scheduled, "agent" | "name">): string => `${agent}/${name}`
