#include "apps/agent/settings/agent_settings.h"

#include "apps/agent/service/agent_options.h"
#include "runtime/settings/log_settings.h"

#include <array>
#include <filesystem>

namespace muster::agent::cli {
namespace {

using runtime::setting;
using kind = runtime::setting_kind;

constexpr std::array declared{
    setting{
        .name = "server",
        .kind = kind::text,
        .description = "Gateway addresses of the cluster, separated by commas; tried in turn.",
        .example = "https://muster1.acme.org:8443,https://muster2.acme.org:8443"},
    setting{
        .name = "ca",
        .kind = kind::path,
        .description = "File with the cluster's CA certificate; no other CA is trusted.",
        .example = "/etc/muster/ca.pem"},
    setting{
        .name = "ca_fingerprint",
        .kind = kind::text,
        .description = "SHA-256 fingerprint of the cluster's CA certificate; replaces `ca`.",
        .example = "8f:2d:…"},
    setting{
        .name = "data",
        .kind = kind::path,
        .default_value = data_default,
        .description = "Directory of the system's key and journal.",
        .example = "/srv/muster-agent"},
    setting{
        .name = "name",
        .kind = kind::text,
        .description = "Name of the system (default: fully qualified host name).",
        .example = "web1.acme.org"},
    // Not "token_file": MUSTER_TOKEN_FILE holds the API token of people's programs.
    setting{
        .name = "enrolment_token_file",
        .kind = kind::secret_file,
        .description =
            "File with a one-time enrolment token; the system is accepted automatically.",
        .example = "/etc/muster/agent.token"},
    setting{
        .name = "activation_key",
        .kind = kind::text,
        .description = "Activation key for enrolment; use activation_key_file for a secret key.",
        .example = "1-web"},
    setting{
        .name = "activation_key_file",
        .kind = kind::secret_file,
        .description = "File with the activation key for enrolment.",
        .example = "/etc/muster/activation.key"},
    setting{
        .name = "poll_interval",
        .kind = kind::duration,
        .default_value = "10s",
        .minimum = "1s",
        .maximum = "1h",
        .description = "Interval between status requests until the system is accepted.",
        .example = "1m"},
    setting{
        .name = "retry_max",
        .kind = kind::duration,
        .default_value = "1m",
        .minimum = "1s",
        .maximum = "1h",
        .description =
            "Maximum delay between connection attempts; the cluster can request a longer delay.",
        .example = "5m"},
    setting{
        .name = "proxy",
        .kind = kind::text,
        .description =
            "SOCKS5 proxy for all connections to the cluster; the proxy resolves host names.",
        .example = "socks5://127.0.0.1:1080"},
    setting{
        .name = "exit_when_idle",
        .kind = kind::duration,
        .default_value = "0s",
        .minimum = "0s",
        .maximum = "1d",
        .description = "Idle time after which the agent exits; 0s: never.",
        .example = "30s"},
    setting{
        .name = "contact",
        .kind = kind::choice,
        .default_value = "default",
        .choices = "default|ssh-push|ssh-push-tunnel",
        .description = "Contact method, reported as the fact `contact`; use ssh-push or "
                       "ssh-push-tunnel for systems run over SSH.",
        .example = "ssh-push"},
    setting{
        .name = "facts.directory",
        .kind = kind::path,
        .default_value = "/etc/muster/facts.d",
        .description =
            "Directory of custom facts: *.json, *.yaml, and *.txt files with NAME=VALUE lines.",
        .example = "/etc/muster/facts.d"},
    setting{
        .name = "facts.interval",
        .kind = kind::duration,
        .default_value = "5m",
        .minimum = "1s",
        .maximum = "1d",
        .description = "Interval between collections of facts and packages; changes are sent.",
        .example = "1h"},
    setting{
        .name = "packages.family",
        .kind = kind::choice,
        .default_value = "auto",
        .choices = "auto|rpm|deb|none",
        .description = "Package format to report: rpm, deb or auto; none disables package reports.",
        .example = "none"},
    setting{
        .name = "packages.command",
        .kind = kind::text,
        .description = "Command that lists packages in the output format of rpm or dpkg-query; "
                       "program and arguments separated by spaces.",
        .example = "/usr/local/bin/packages-of-the-image"},
    setting{
        .name = "packages.manager",
        .kind = kind::text,
        .description = "Package manager that packages.change runs: path of apt-get, dnf, yum or "
                       "zypper (default: detected).",
        .example = "/opt/bin/dnf"},
    setting{
        .name = "scenario",
        .kind = kind::choice,
        .default_value = "native",
        .choices = "native|salt",
        .description = "Default actions on state changes: native runs none, salt controls a "
                       "salt-minion whose master is the node.",
        .example = "salt"},
    setting{
        .name = "actions.new",
        .kind = kind::text,
        .description = "Actions to run when the system is new: configure, start, stop, run "
                       "COMMAND, separated by semicolons (default: from scenario).",
        .example = "run logger waiting for acceptance"},
    setting{
        .name = "actions.orphan",
        .kind = kind::text,
        .description = "Actions to run when no node serves the system.",
        .example = "stop"},
    setting{
        .name = "actions.onboarded",
        .kind = kind::text,
        .description = "Actions to run when the system is onboarded.",
        .example = "configure; start"},
    setting{
        .name = "actions.deleted",
        .kind = kind::text,
        .description = "Actions to run when the system was deleted, before the agent exits.",
        .example = "stop; run systemctl disable salt-minion"},
    setting{
        .name = "command_timeout",
        .kind = kind::duration,
        .default_value = "1m",
        .minimum = "1s",
        .maximum = "1h",
        .description = "Timeout for a command of an action; the command is killed when it expires.",
        .example = "5m"},
    setting{
        .name = "salt.config",
        .kind = kind::path,
        .default_value = "/etc/salt/minion.d/muster.conf",
        .description = "File to which `configure` writes the minion's master; the previous file is "
                       "kept as FILE~.",
        .example = "/etc/salt/minion.d/muster.conf"},
    setting{
        .name = "salt.unit",
        .kind = kind::text,
        .default_value = "salt-minion",
        .description = "systemd unit that `start` and `stop` control.",
        .example = "venv-salt-minion"},
    setting{
        .name = "salt.start_command",
        .kind = kind::text,
        .description = "Command that `start` runs instead of systemctl.",
        .example = "/etc/init.d/salt-minion start"},
    setting{
        .name = "salt.stop_command",
        .kind = kind::text,
        .description = "Command that `stop` runs instead of systemctl.",
        .example = "/etc/init.d/salt-minion stop"},
    setting{
        .name = "tasks.running_max",
        .kind = kind::integer,
        .default_value = "4",
        .minimum = "1",
        .maximum = "256",
        .description = "Maximum running tasks; additional tasks wait.",
        .example = "1"},
    setting{
        .name = "tasks.waiting_max",
        .kind = kind::integer,
        .default_value = "1000",
        .minimum = "0",
        .maximum = "10000",
        .description = "Maximum waiting tasks; additional tasks are refused.",
        .example = "50"},
    setting{
        .name = "tasks.queue_timeout",
        .kind = kind::duration,
        .default_value = "1h",
        .minimum = "1s",
        .maximum = "7d",
        .description = "Maximum time a task waits to start; the task is then refused.",
        .example = "10m"},
    setting{
        .name = "tasks.load_max_percent",
        .kind = kind::integer,
        .default_value = "0",
        .minimum = "0",
        .maximum = "10000",
        .description = "One-minute load, in percent of the CPU cores, above which no task starts; "
                       "0 disables the check.",
        .example = "200"},
    setting{
        .name = "tasks.free_memory_min",
        .kind = kind::size,
        .default_value = "0B",
        .minimum = "0B",
        .maximum = "1TiB",
        .description = "Available memory below which no task starts; 0B disables the check.",
        .example = "256MiB"},
    setting{
        .name = "tasks.output_max",
        .kind = kind::size,
        .default_value = "1MiB",
        .minimum = "1KiB",
        .maximum = "4MiB",
        .description = "Maximum output kept per command, unless the task sets output_max.",
        .example = "64KiB"},
    setting{
        .name = "tasks.dedup_period",
        .kind = kind::duration,
        .default_value = "50h",
        .minimum = "1m",
        .maximum = "30d",
        .description = "Retention period of acknowledged tasks; a duplicate received within it is "
                       "not run again.",
        .example = "7d"},
    setting{
        .name = "tasks.reboot_command",
        .kind = kind::text,
        .default_value = "systemctl reboot",
        .description = "Command that system.reboot runs.",
        .example = "shutdown -r +1"},
    setting{
        .name = "tasks.update_key_file",
        .kind = kind::path,
        .description = "File with the Ed25519 public key that verifies agent.update; if unset, "
                       "updates are refused.",
        .example = "/etc/muster/update-key.pem"},
    setting{
        .name = "tasks.boot_id_file",
        .kind = kind::path,
        .default_value = "/proc/sys/kernel/random/boot_id",
        .description = "File whose content changes at every boot; in a container, a file that its "
                       "start script writes.",
        .example = "/run/boot-id"},
    runtime::log_level_setting(runtime::takes_effect::at_restart),
    runtime::log_format_setting(),
};

}  // namespace

runtime::catalogue agent_settings() {
    return declared;
}

runtime::resolution resolve(const settings_input& input) {
    const std::filesystem::path file = input.config.empty() ? agent_settings_file : input.config;
    runtime::settings_source from_file;
    std::error_code ignored;
    if (!input.config.empty() || std::filesystem::exists(file, ignored))
        from_file = runtime::read_settings_file(agent_settings(), file);
    const auto environment =
        runtime::read_environment(agent_settings(), runtime::process_environment());
    return runtime::resolve(agent_settings(), {input.flags, environment, from_file});
}

}  // namespace muster::agent::cli
