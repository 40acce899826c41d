/** Routes of tasks: list, create, show, act. */
import type { FastifyInstance } from "fastify"
import { z } from "zod"
import {
  type CreatedDocument,
  NewTask,
  type TaskLinesDocument,
  type TasksDocument,
} from "../../core/wire.ts"
import { taskLines } from "../../homes/task-lines.ts"
import { listOpenQuestions } from "../../store/questions/list.ts"
import { createTask } from "../actions/create-task.ts"
import { diff } from "../actions/diff.ts"
import { findTaskByRef } from "../actions/find-task.ts"
import { questionsDocument, whyDocument } from "../documents.ts"
import type { Fleet } from "../fleet.ts"
import { queueDocument } from "../queue-document.ts"
import { currentTaskDocument, taskDocument, taskDocuments } from "../task-document.ts"
import { ACTS } from "./acts.ts"
import { parse } from "./parse.ts"

/** `line`: as TaskLinesDocument; without it, whole tasks. */
const Listing = z.object({ view: z.literal("line").optional() })

const DiffQuery = z.object({
  against: z.enum(["base", "target"]).default("base"),
  repo: z.string().optional(),
})

type ByRef = { Params: { ref: string } }

export function taskRoutes(server: FastifyInstance, fleet: Fleet): void {
  server.get("/tasks", async ({ query }): Promise<TasksDocument | TaskLinesDocument> => {
    const { view } = parse(Listing, "query", query)
    return view === "line" ? taskLines(fleet) : taskDocuments(fleet)
  })
  server.post("/tasks", async ({ body, headers }): Promise<CreatedDocument> => {
    const key = headers["idempotency-key"]
    const { task, taken } = await createTask(fleet, parse(NewTask, "task", body), {
      key: typeof key === "string" ? key : undefined,
    })
    return { task: taskDocument(fleet, task), taken }
  })
  server.get<ByRef>("/tasks/:ref", async ({ params }) =>
    currentTaskDocument(fleet, findTaskByRef(fleet, params.ref)),
  )
  server.get<ByRef>("/tasks/:ref/why", async ({ params }) =>
    whyDocument(fleet, findTaskByRef(fleet, params.ref)),
  )
  server.get<ByRef>("/tasks/:ref/diff", async ({ params, query }) =>
    diff(fleet, findTaskByRef(fleet, params.ref), parse(DiffQuery, "query", query)),
  )
  server.get<ByRef>("/tasks/:ref/questions", async ({ params }) =>
    questionsDocument(listOpenQuestions(fleet.db, findTaskByRef(fleet, params.ref).id)),
  )
  server.get("/queue", async () => queueDocument(fleet))
  for (const [name, act] of Object.entries(ACTS))
    server.post<ByRef>(`/tasks/:ref/${name}`, async ({ params, body }) => {
      const task = findTaskByRef(fleet, params.ref)
      fleet.retry(task.id)
      return await act(fleet, task, body ?? {})
    })
}
