#include "apps/muster/cli/rollout_flags.h"

namespace muster::cli {

void add_rollout_flags(command_line::command& verb, run_flags& flags) {
    verb.add_option("--at", flags.start_time, "Not before: 2026-11-16T22:00:00Z, or +2h")
        ->type_name("TIME");
    verb.add_option(
            "--window",
            flags.windows,
            "Maintenance windows: respect (usual; starts where it ends within one), start (starts "
            "within one), ignore (usual for what changes nothing), override (in an emergency)")
        ->type_name("RULE");
    verb.add_option("--batch", flags.batch, "At most so many at once: 10 or 25%")
        ->type_name("AMOUNT");
    verb.add_option("--batch-wait", flags.batch_wait, "A place stays empty so long: 5s")
        ->type_name("SPAN");
    verb.add_option("--rate", flags.rate, "Starts a second, in the whole cluster")
        ->type_name("NUMBER");
    verb.add_option("--canary", flags.canary, "These first; the rest when all of them succeeded")
        ->type_name("AMOUNT");
    verb.add_option(
            "--canary-wait", flags.canary_wait, "So long after the canaries the rest starts: 10m")
        ->type_name("SPAN");
    verb.add_option("--max-failures", flags.max_failures, "Stop when more have failed: 5 or 1%")
        ->type_name("AMOUNT");
    verb.add_option("--retry", flags.retries, "Further attempts after a failure")
        ->type_name("NUMBER");
    verb.add_option("--retry-wait", flags.retry_wait, "Before an attempt; doubles each time: 10s")
        ->type_name("SPAN");
    verb.add_option("--timeout", flags.timeout, "Of one attempt: 1h")->type_name("SPAN");
    verb.add_option("--expires", flags.expires, "What has not started by then is given up: 24h")
        ->type_name("SPAN");
    verb.add_option("--priority", flags.priority, "From -1000 to 1000; higher goes first")
        ->type_name("NUMBER");
    verb.add_option(
            "--weight", flags.weight, "Share among jobs of one priority: 1 to 1000, usually 10")
        ->type_name("NUMBER");
    verb.add_option("--after", flags.parents, "A job that must complete first; may be repeated")
        ->type_name("JOB");
    auto* const on_return_flag =
        verb.add_flag("--on-return", flags.on_return, "Systems that are away: when they come back");
    verb.add_flag("--no-on-return", flags.no_on_return, "Systems that are away fail")
        ->excludes(on_return_flag);
    verb.add_flag(
        "--may-run-again", flags.may_run_again, "An interrupted attempt may be run again");
    verb.add_option("--note", flags.note, "Why; kept with the job")->type_name("TEXT");
}

}  // namespace muster::cli
