#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/server/serve.h"
#include "apps/muster/server/settings_check.h"
#include "apps/muster/settings/server_settings.h"
#include "runtime/settings/documents.h"
#include "runtime/settings/settings.h"
#include "runtime/settings/source.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

namespace muster::cli {
namespace {

constexpr auto examples =
    "Examples:\n"
    "  muster serve --data ./data --listen 127.0.0.1:8443\n"
    "  muster serve --metastore etcd://10.0.0.1:2379 --metastore-ca etcd-ca.pem \\\n"
    "               --ledger postgresql://muster@10.0.0.9/muster --ledger-ca postgresql-ca.pem \\\n"
    "               --bus nats://10.0.0.1:4222 --bus-ca nats-ca.pem\n"
    "  muster config sample > /etc/muster/muster.yaml && muster serve\n";

struct serve_flags {
    std::string config;
    runtime::settings_source settings;
};

// The default file may be missing; a named file may not.
runtime::settings_source read_file(const std::string& config) {
    const std::filesystem::path file = config.empty() ? server_settings_file : config;
    std::error_code unknown;
    const bool missing = !std::filesystem::exists(file, unknown) && !unknown;
    if (config.empty() && missing) return {};
    return runtime::read_settings_file(server_settings(), file);
}

runtime::resolution resolve(const serve_flags& flags) {
    const auto environment =
        runtime::read_environment(server_settings(), runtime::process_environment());
    return runtime::resolve(
        server_settings(), {flags.settings, environment, read_file(flags.config)});
}

exit_code serve(const serve_flags& flags) {
    auto first = resolve(flags);
    if (first.problems.empty()) first.problems = server::check_settings(first.values);
    if (!first.problems.empty()) {
        server::log_refusal(first.values, first.problems);
        for (const auto& problem : first.problems)
            fmt::print(stderr, "muster serve: {}\n", problem);
        return exit_code::usage;
    }
    const auto served = server::serve([&flags] { return resolve(flags); });
    if (served) return exit_code::ok;
    fmt::print(stderr, "muster serve: {}\n", served.error().detail());
    return exit_code::failed;
}

}  // namespace

void add_serve(command_line::command& root, action& chosen) {
    auto* command = root.add_subcommand("serve", "Run a server");
    const auto flags = std::make_shared<serve_flags>();
    command->add_option("--config", flags->config, "Settings file; must exist if given")
        ->type_name("FILE")
        ->environment("MUSTER_CONFIG");
    for (const auto& server_setting : server_settings()) {
        const std::string name(server_setting.name);
        const auto flag = runtime::flag_of(server_setting);
        command
            ->add_setting(
                flag,
                [flags, name, flag](const std::string& text) {
                    flags->settings.entries.push_back({name, text, flag});
                },
                runtime::help_line(server_setting))
            ->take_last()
            ->type_name("VALUE")
            ->group("Settings");
    }
    command->footer(examples);
    command->callback([&chosen, flags] {
        chosen = [flags] {
            return serve(*flags);
        };
    });
}

}  // namespace muster::cli
