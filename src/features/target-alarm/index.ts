/** Warns at once when something moves a target past the gate, or changes what its checkouts are. */
import type { Feature } from "../../api/feature.ts"
import { TargetWatch } from "./target-watch.ts"

export const targetAlarm: Feature = {
  name: "target-alarm",
  watch: ({ db, log }) =>
    new TargetWatch(db, (error) => log.error({ err: error }, "a repository is unwatched")),
}
