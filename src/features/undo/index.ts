/** Reverts a landing by another one. */

import { currentTaskDocument } from "../../api/documents/task-document.ts"
import type { Feature } from "../../api/feature.ts"
import { describeUndo, undo as undoLanding } from "./undo.ts"

export const undo: Feature = {
  name: "undo",
  uses: ["pull-requests"],
  routes: {
    undo: async ({ fleet, ref, given }) =>
      currentTaskDocument(fleet, await undoLanding(fleet, ref, given)),
    planUndo: ({ fleet, ref }) => describeUndo(fleet, ref),
  },
}
