// A button that leads to a change of common data: while that cannot be it says why.
import { Button, type ButtonProps, Tooltip } from "@patternfly/react-core";
import { useEditBlockedReason } from "./editing";

export function DraftAwareButton(props: Omit<ButtonProps, "ref">) {
  const reason = useEditBlockedReason();
  if (reason === undefined) return <Button {...props} />;
  return (
    <Tooltip content={reason}>
      <Button {...props} isDisabled={false} isAriaDisabled />
    </Tooltip>
  );
}
