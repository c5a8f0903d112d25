// What a task wrote: output and errors apart, as text and never as anything else.
import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { part, send } from "../../api/client";
import { bytes } from "../../components/format";
import { textOf } from "./groupOutcomes";
import type { Output } from "./types";

const shownMost = 200_000; // characters
const nearEnd = 40; // pixels

interface Props {
  output: Output | undefined;
  job: string;
  digest?: string | null;
  size?: number;
  truncated?: boolean;
}

export function OutputText({ output, job, digest, size = 0, truncated }: Props) {
  const [whole, setWhole] = useState(false);
  const fetched = useQuery({
    queryKey: ["payload", job, digest],
    queryFn: async ({ signal }) => {
      const path = `/api/v1/jobs/${part(job)}/payloads/${part(digest ?? "")}`;
      const text = await (await send("GET", path, { signal })).text();
      try {
        return JSON.parse(text) as Output;
      } catch {
        return text;
      }
    },
    enabled: whole && Boolean(digest),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const content = output === undefined ? fetched.data : output;
  if (content === undefined && digest && size > 0)
    return (
      <p>
        <Button
          variant="link"
          isInline
          isLoading={fetched.isFetching}
          onClick={() => setWhole(true)}
        >
          Show output ({bytes(size)})
        </Button>
        {fetched.error && <span className="quiet"> {fetched.error.message}</span>}
      </p>
    );
  const { out, err } = textOf(content);
  if (out.trim() === "" && err.trim() === "") return <p className="quiet">No output.</p>;
  return (
    <div className="task-output">
      {out.trim() !== "" && <Block name="stdout" text={out} />}
      {err.trim() !== "" && <Block name="stderr" text={err} />}
      {truncated && <p className="quiet">Output truncated; the end is missing.</p>}
    </div>
  );
}

// Follows the end, unless somebody scrolled away from it to read.
function LivePort({ name, text }: { name: string; text: string }) {
  const port = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every piece that comes
  useLayoutEffect(() => {
    if (port.current && follows.current) port.current.scrollTop = port.current.scrollHeight;
  }, [text]);
  return (
    <div
      ref={port}
      role="log"
      aria-label={name}
      tabIndex={0}
      className="output-port"
      onScroll={({ currentTarget: is }) => {
        follows.current = is.scrollHeight - is.scrollTop - is.clientHeight < nearEnd;
      }}
    >
      <pre>{text}</pre>
    </div>
  );
}

export function Block({ name, text, live }: { name: string; text: string; live?: boolean }) {
  const cut = text.length > shownMost;
  const tail = cut ? text.slice(-shownMost) : text;
  return (
    <figure className="output-block">
      <figcaption>{name}</figcaption>
      {live ? (
        <LivePort name={name} text={tail} />
      ) : (
        <section aria-label={name} tabIndex={0} className="output-port">
          <pre className={name === "stderr" ? "output-errors" : undefined}>{tail}</pre>
        </section>
      )}
      {cut && <p className="quiet">Only the end of the output is shown.</p>}
    </figure>
  );
}
