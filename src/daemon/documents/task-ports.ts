/** The ports of a task as documents, with those on which a program listens. */
import type { LiveWorkDocument } from "../../core/wire/work.ts"
import { listPorts } from "../../store/ports.ts"
import type { Task } from "../../store/tasks/row.ts"
import { listServedPorts } from "../../workspaces/ports/served-ports.ts"
import type { FleetRows } from "../home.ts"

export async function taskPorts(
  { db }: FleetRows,
  { id }: Pick<Task, "id">,
): Promise<LiveWorkDocument["tasks"][number]["ports"]> {
  const blocks = [...listPorts(db, id)].map(async ([repo, block]) => {
    return { repo, ...block, served: await listServedPorts(block) }
  })
  return await Promise.all(blocks)
}
