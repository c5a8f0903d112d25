// A button that leads to a change of common data: while that cannot be it says why.
import { Button, type ButtonProps, Tooltip } from "@patternfly/react-core";
import { useCommonBlocked } from "./editing";

export function CommonButton(props: Omit<ButtonProps, "ref">) {
  const reason = useCommonBlocked();
  if (reason === undefined) return <Button {...props} />;
  return (
    <Tooltip content={reason}>
      <Button {...props} isDisabled={false} isAriaDisabled />
    </Tooltip>
  );
}
