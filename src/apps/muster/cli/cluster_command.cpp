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
    const auto answered = call_api(context_of(flags.client), {.path = "/api/v1/cluster"});
    if (!answered) {
        fmt::print(stderr, "muster cluster: {}\n", answered.error().sentence);
        return answered.error().code;
    }
    fmt::print("{}", render(*answered, flags.format, {}));
    return exit_code::well;
}

}  // namespace

void add_cluster(command_line::command& root, action& chosen) {
    auto* showing = root.add_subcommand("cluster", "Show the cluster and how it is");
    const auto flags = std::make_shared<cluster_flags>();
    add_client_flags(*showing, flags->client);
    add_output_flag(*showing, flags->format);
    showing->footer("Example:\n  muster cluster -o yaml\n");
    showing->callback([&chosen, flags] {
        chosen = [flags] {
            return show_cluster(*flags);
        };
    });
}

}  // namespace muster::cli
