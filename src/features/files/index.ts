/** Files that go with a task. */
import type { Feature } from "../../api/feature.ts"
import { findTaskByRef } from "../../kernel/tasks/actions/find-task.ts"
import { fileDocument, filesDocument } from "./file-documents.ts"

export const files: Feature = {
  name: "files",
  routes: {
    files: ({ fleet, ref }) => filesDocument(fleet, findTaskByRef(fleet, ref).id),
    file: ({ fleet, ref }) => fileDocument(fleet, ref),
  },
}
