/** The ports of a task as documents, with those on which a program listens. */

import type { FleetRows } from "../../kernel/home.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { listServedPorts } from "../../kernel/workspaces/ports/served-ports.ts"
import { listPorts } from "../../kernel/workspaces/rows/ports.ts"
import type { LiveWorkDocument } from "../wire/work.ts"

export async function taskPorts(
  { db }: FleetRows,
  { id }: Pick<Task, "id">,
): Promise<LiveWorkDocument["tasks"][number]["ports"]> {
  const blocks = [...listPorts(db, id)].map(async ([repo, block]) => {
    return { repo, ...block, served: await listServedPorts(block) }
  })
  return await Promise.all(blocks)
}
