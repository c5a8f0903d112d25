// A button for a change of common data. While common data cannot be changed, a tooltip says why.
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
