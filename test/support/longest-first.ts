/** The order of the test files: none that takes long is left to run alone at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** From the longest on; the others follow. */
const LONGEST = [
  "test/fault/landing.test.ts",
  "src/features/acp/runtime.agent.test.ts",
  "src/features/claude/runtime.agent.test.ts",
  "test/e2e/contained.agent.test.ts",
  "test/e2e/runtimes.agent.test.ts",
  "test/e2e/contained-attacks.agent.test.ts",
  "test/e2e/torture.test.ts",
  "test/e2e/source-crash.test.ts",
  "test/e2e/package.test.ts",
  "test/e2e/chat-source.test.ts",
  "test/e2e/pull-request-storm.test.ts",
  "test/e2e/traces.test.ts",
  "test/e2e/crash.test.ts",
  "src/features/stacks/restack.test.ts",
  "test/e2e/second-opinion.test.ts",
  "test/fault/several-repositories.test.ts",
  "test/fault/kill.test.ts",
]

export class LongestFirst extends BaseSequencer {
  /** Files of one project follow each other: they may share their processes. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(name))
      return at === -1 ? LONGEST.length : at
    }
    const isShared = ({ project }: TestSpecification) => Number(!project.config.isolate)
    return sorted.toSorted((a, b) => isShared(a) - isShared(b) || place(a) - place(b))
  }
}
