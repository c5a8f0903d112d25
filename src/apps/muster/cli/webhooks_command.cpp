#include "adapters/os/file.h"
#include "apps/command_line/command.h"
#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/system_verbs.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster webhooks                            list webhooks with their delivery status\n"
    "  muster webhooks add chat https://chat.acme.org/hook --kind job.done --kind job.halted\n"
    "                                             print the secret that signs the requests\n"
    "  muster webhooks add audit https://audit.acme.org/in --kind '*' --secret-file secret\n"
    "  muster webhooks resume chat                retry a stopped webhook immediately\n"
    "  muster webhooks remove chat\n\n"
    "A receiver returns a 2xx status when it has stored the events. For the request format and "
    "the\n"
    "signature, see docs/reference/events.md.\n";

struct webhooks_flags {
    api_flags api;
    std::string name;
    std::string url;
    std::vector<std::string> kinds;
    std::string secret_file;
    std::string ca_file;
    std::string since;
};

const std::string root_path = "/api/v1/webhooks";

std::string path_of(const webhooks_flags& flags) {
    return root_path + "/" + path_segment(flags.name);
}

exit_code list_webhooks(const webhooks_flags& flags) {
    return print_response(
        "webhooks",
        flags.api,
        {.path = root_path},
        {"name", "url", "kinds", "state", "behind", "delivered", "last_error"});
}

exit_code show_webhook(const webhooks_flags& flags) {
    return print_response("webhooks show", flags.api, {.path = path_of(flags)}, {});
}

// The text of a file, without the final line end.
result<std::string> read_text(const std::string& file) {
    TRY(auto text, os::load_file(file));
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    return text;
}

exit_code add_webhook(const webhooks_flags& flags) {
    json::object body{{"name", flags.name}, {"url", flags.url}};
    if (!flags.kinds.empty()) body.emplace("kinds", json_list(flags.kinds));
    if (!flags.since.empty()) body.emplace("since", flags.since);
    const std::map<std::string, std::string> files{
        {"secret", flags.secret_file}, {"ca", flags.ca_file}};
    for (const auto& [member, file] : files) {
        if (file.empty()) continue;
        const auto text = read_text(file);
        if (!text) {
            fmt::print(stderr, "muster webhooks add: {}\n", text.error().detail());
            return exit_code::usage;
        }
        body.emplace(member, *text);
    }
    return print_response(
        "webhooks add",
        flags.api,
        {.method = "POST", .path = root_path, .body = std::move(body)},
        {});
}

exit_code remove_webhook(const webhooks_flags& flags) {
    return print_response(
        "webhooks remove", flags.api, {.method = "DELETE", .path = path_of(flags)}, {});
}

exit_code resume_webhook(const webhooks_flags& flags) {
    return print_response(
        "webhooks resume", flags.api, {.method = "POST", .path = path_of(flags) + "/resume"}, {});
}

command_line::command* add_named_verb(
    command_line::command& noun,
    const std::shared_ptr<webhooks_flags>& flags,
    action& chosen,
    const verb_spec<webhooks_flags>& spec) {
    auto* verb = add_verb_spec(noun, flags, chosen, spec);
    verb->add_option("name", flags->name, "Webhook name")->required()->type_name("NAME");
    return verb;
}

}  // namespace

void add_webhooks(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<webhooks_flags>();
    auto* noun = add_list_command(
                     root,
                     {"webhooks", "Manage webhooks, which send events to HTTP servers", examples},
                     flags->api,
                     chosen,
                     [flags] { return list_webhooks(*flags); })
                     .noun;
    auto* add = add_named_verb(
        *noun,
        flags,
        chosen,
        {"add",
         "Create a webhook",
         add_webhook,
         "muster webhooks add chat https://chat.acme.org/hook --kind job.done"});
    add->add_option("url", flags->url, "URL of the receiver: https, or http on this machine")
        ->required()
        ->type_name("URL");
    add->add_option("--kind", flags->kinds, "Event kind to send; may be repeated")
        ->type_name("KIND");
    add->add_option(
           "--secret-file",
           flags->secret_file,
           "File with the signing secret, 16 bytes or more (default: generated)")
        ->type_name("FILE");
    add->add_option("--receiver-ca", flags->ca_file, "File with the CA of the receiver")
        ->type_name("FILE");
    add->add_option("--since", flags->since, "Cursor to start at (default: now)")
        ->type_name("CURSOR");
    using verb = verb_spec<webhooks_flags>;
    for (const auto& spec :
         {verb{"show", "Show a webhook", show_webhook, "muster webhooks show chat"},
          verb{
              "resume",
              "Resume a stopped webhook and retry immediately",
              resume_webhook,
              "muster webhooks resume chat"},
          verb{"remove", "Remove a webhook", remove_webhook, "muster webhooks remove chat"}})
        add_named_verb(*noun, flags, chosen, spec);
}

}  // namespace muster::cli
