/** Rows for the tables of commands and of routes. Every command loads this file, so it loads nothing. */
import type { Route } from "../../api/wire/routes.ts"
import type { Listed } from "../../surfaces/cli/commands.ts"

export const LABEL_COMMAND: Listed = {
  group: "tasks",
  name: "label",
  summary: "Label a task, or list its labels",
  load: () => import("./command.ts"),
}

export const LABEL_ROUTES = {
  label: {
    at: "POST /tasks/:ref/labels",
    about: "Adds labels to the task, and removes others.",
    takes: "LabelChange",
    answers: "TaskDocument",
  },
} as const satisfies Readonly<Record<string, Route>>
