/**
 * Takes the pictures of the dashboard in docs/images: a fleet at work in a scratch repository, in a real
 * browser, at the width of a desktop and of a phone.
 *
 * `UPDATE=1 vitest run test/screenshots.test.ts` takes them again after the page has changed.
 */
import { strict as assert } from "node:assert"
import { createHash } from "node:crypto"
import { globSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { ScratchProject } from "../demo/scratch-project.ts"
import { connect } from "../src/api/client/connect.ts"
import { LoginLinkDocument } from "../src/api/wire/browser.ts"
import { TaskDocument } from "../src/api/wire/tasks.ts"
import { launchChromium } from "../test/support/chromium.ts"
import { coppice, ScratchHome } from "../test/support/home.ts"
import { waitFor } from "../test/support/wait-for.ts"

export const PICTURES = ["board", "changes"].flatMap((name) =>
  ["desktop", "phone"].map((width) => `${name}-${width}.png`),
)
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const
/** The pages, the story that they show, and this file. */
const INPUTS = ["dashboard/**/*.*", "demo/project/**/*.*", "scripts/screenshots.ts"]

/** The pictures are fresh while this is the same: the pixels of two machines differ. */
export function hashInputs(): string {
  const hash = createHash("sha256")
  for (const path of globSync(INPUTS).sort()) hash.update(`${path}\n`).update(readFileSync(path))
  return hash.digest("hex")
}

const TRUNCATE = `/** The text in at most \`length\` characters. */
export function truncate(text, length) {
  return text.length <= length ? text : \`\${text.slice(0, length - 1)}…\`
}
`
const STORY: readonly (readonly [title: string, script: string, ...options: string[]])[] = [
  ["Fix the word count", `sed -i 's|split(" ")|split(/\\\\s+/).filter(Boolean)|' src/words.js`],
  [
    "Say what capitalize() does with an empty text",
    "echo '// An empty text stays empty.' >> src/capitalize.js",
  ],
  [
    "Add truncate(text, length)",
    `cat > src/truncate.js << 'EOF'\n${TRUNCATE}EOF`,
    "--land",
    "approve",
  ],
  [
    "Let slug() take a separator",
    'coppice agent ask "Which separator is the default?" --choice "a hyphen" --choice "an underscore"',
  ],
  [
    "Let slug() keep letters with accents",
    'echo "I read the function and its test first. NFKD splits a letter from its accent."; sleep 600',
  ],
  [
    "Publish the helpers as packages",
    [
      'coppice agent propose_task "A package for slug()" "echo The exports are next.; sleep 600"',
      'coppice agent propose_task "A package for countWords()" "echo The tests move along.; sleep 600"',
    ].join("\n"),
  ],
  ["Describe the helpers in the README", "echo '`slug` makes parts of URLs.' >> README.md"],
  ["Ignore files of editors", "echo '*.swp' > .gitignore"],
]
/** A sub-task's prompt has its script between fences. */
const COMMAND = `
  prompt=$(cat); part=$(printf '%s\\n' "$prompt" | sed -n '/^\`\`\`/,/^\`\`\`/{/^\`\`\`/d;p;}')
  printf '%s\\n' "\${part:-$prompt}" | sh`
const FIRST_WORKING = 4
/** From here on, landings wait for their gate. */
const FIRST_HELD = 6

/** @param folder gets the pictures. */
export async function takePictures(folder: string): Promise<void> {
  await using home = new ScratchHome()
  const env = home.env()
  const held = join(home.path, "held")
  const place = { cwd: startProject(home, env, held).path, env }
  await tell(place, held)
  const { url } = LoginLinkDocument.parse(await ask(place, "ui"))
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: SIZES.desktop, colorScheme: "light" })
    await page.goto(url)
    mkdirSync(folder, { recursive: true })
    await page.getByRole("region", { name: "Working" }).getByText("NFKD").waitFor()
    await page.getByRole("region", { name: "Needs you" }).getByText("1 file").first().waitFor()
    await shoot(page, folder, "board")
    await page.evaluate("location.hash = '#/task/3/changes'")
    await page.getByRole("button", { name: "Comment on line 3", exact: true }).click()
    await page.keyboard.type("What if length is 0?")
    // A scratch folder has another name each time.
    await page.evaluate(
      "document.querySelector('.path').textContent = '~/textkit.worktrees/3-add-truncate'",
    )
    await shoot(page, folder, "changes")
  } finally {
    await browser.close()
  }
}

async function shoot(page: Page, folder: string, name: string): Promise<void> {
  for (const [width, size] of Object.entries(SIZES)) {
    await page.setViewportSize(size)
    await page.evaluate("document.querySelector('.comment')?.scrollIntoView({ block: 'center' })")
    await page.screenshot({ path: join(folder, `${name}-${width}.png`) })
  }
  await page.setViewportSize(SIZES.desktop)
}

type Place = { readonly cwd: string; readonly env: Record<string, string> }

function startProject(home: ScratchHome, env: Place["env"], held: string): ScratchProject {
  const config = {
    version: 1,
    limits: { concurrent: 9 },
    repos: { textkit: { gate: `node --test && while [ -e ${held} ]; do sleep 0.1; done` } },
    agents: { coder: { runtime: "command", command: COMMAND, tasks: { propose: "allow" } } },
  }
  const files = { "coppice.yml": JSON.stringify(config, null, 2) }
  return new ScratchProject(join(home.path, "textkit"), env, files)
}

/** Starts every task of the story, and waits until it is as the pictures show it. */
async function tell(place: Place, held: string): Promise<void> {
  const client = connect(place)
  for (const [at, [title, script, ...options]] of STORY.entries()) {
    if (at === FIRST_HELD) mkdirSync(held)
    const asked = ["run", script, "--title", title, "--detach", ...options]
    const { id } = TaskDocument.parse(await ask(place, ...asked))
    const isThere = async () => {
      const { state, reason, landing } = await client.show(id)
      assert(state !== "stuck", `${title}: ${reason?.text}`)
      if (state === "working" && FIRST_WORKING <= at && at < FIRST_HELD) return true
      const { questions } = await client.questions(id)
      const isLanding = landing !== null && at >= FIRST_HELD
      return questions.length > 0 || isLanding || /^(complete|in_approval)$/.test(state)
    }
    await waitFor(title, isThere, 60_000)
  }
  await waitFor(
    "sub-tasks",
    async () => (await client.listLines()).tasks.length >= STORY.length + 2,
  )
}

async function ask({ cwd, env }: Place, ...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await coppice(cwd, [...args, "--json"], { env })
  assert(code === 0, `${args[0]}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}
