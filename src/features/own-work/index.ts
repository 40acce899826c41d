/** Lands work that no agent of ours did. */

import { currentTaskDocument } from "../../api/documents/task-document.ts"
import type { Feature } from "../../api/feature.ts"
import { findTaskAgain } from "../../kernel/tasks/actions/find-task.ts"
import { landWork } from "./land-work.ts"
import { listImportable } from "./list-importable.ts"

export const ownWork: Feature = {
  name: "own-work",
  uses: ["preview", "trust"],
  routes: {
    land: async ({ fleet, given }) => {
      const { id, taken } = await landWork(fleet, given)
      return { task: await currentTaskDocument(fleet, findTaskAgain(fleet, { id })), taken }
    },
    listImportable: ({ fleet }) => listImportable(fleet),
  },
}
