// The same thing on the command line, to be copied.
import { Button, ClipboardCopy, Popover } from "@patternfly/react-core";
import TerminalIcon from "@patternfly/react-icons/dist/esm/icons/terminal-icon";

export function CopyCli({ command, label = "Copy as CLI" }: { command: string; label?: string }) {
  return (
    <Popover
      aria-label="Equivalent command"
      headerContent="Equivalent command"
      bodyContent={
        <ClipboardCopy isReadOnly isCode hoverTip="Copy" clickTip="Copied" textAriaLabel="Command">
          {command}
        </ClipboardCopy>
      }
      minWidth="22rem"
    >
      <Button variant="link" icon={<TerminalIcon />}>
        {label}
      </Button>
    </Popover>
  );
}
