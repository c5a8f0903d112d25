#include "apps/command_line/command.h"
#include "apps/muster/cli/client.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/output.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace muster::cli {
namespace {

struct cluster_flags {
    client_flags client;
    output_format format = output_format::table;
};

exit_code show_cluster(const cluster_flags& flags) {
    const auto response = call_api(resolve_context(flags.client), {.path = "/api/v1/cluster"});
    if (!response) {
        fmt::print(stderr, "muster cluster: {}\n", response.error().message);
        return response.error().code;
    }
    fmt::print("{}", render(*response, flags.format, {}));
    return exit_code::ok;
}

}  // namespace

void add_cluster(command_line::command& root, action& chosen) {
    auto* verb = root.add_subcommand("cluster", "Show the cluster and its status");
    const auto flags = std::make_shared<cluster_flags>();
    add_client_flags(*verb, flags->client);
    add_output_flag(*verb, flags->format);
    verb->footer("Example:\n  muster cluster -o yaml\n");
    verb->callback([&chosen, flags] {
        chosen = [flags] {
            return show_cluster(*flags);
        };
    });
}

}  // namespace muster::cli
