#include "apps/command_line/command.h"
#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/command_line.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster revisions                            list revisions, newest first\n"
    "  muster revisions diff 12                    show the changes of revision 12\n"
    "  muster revisions nodes                      show the revision of each server, and drift\n"
    "  export MUSTER_EDIT=$(muster revisions edit begin --note 'autumn windows')\n"
    "  muster groups set shop 'tag:web'            add a change to the draft\n"
    "  muster revisions edit draft                 show the changes of the draft\n"
    "  muster revisions edit apply                 publish the draft as a revision\n";

struct revisions_flags {
    api_flags api;
    std::int64_t number = 0;
    std::int64_t from = -1;
    std::string note;
};

std::string path_of(const revisions_flags& flags) {
    return "/api/v1/revisions/" + std::to_string(flags.number);
}

exit_code list_revisions(const revisions_flags& flags) {
    return print_response(
        "revisions",
        flags.api,
        {.path = "/api/v1/revisions"},
        {"number", "made", "made_by", "kind", "changes", "note", "digest"});
}

exit_code show_revision(const revisions_flags& flags) {
    return print_response("revisions show", flags.api, {.path = path_of(flags)}, {});
}

exit_code diff_revision(const revisions_flags& flags) {
    const auto query = flags.from < 0 ? "" : "?from=" + std::to_string(flags.from);
    return print_response(
        "revisions diff",
        flags.api,
        {.path = path_of(flags) + "/diff" + query},
        {"section", "name", "what", "before", "after"});
}

exit_code revert_revision(const revisions_flags& flags) {
    const auto edit = resolve_context(flags.api.client).edit;
    if (edit.empty())
        return print_error(
            "revisions revert",
            {.code = exit_code::usage,
             .message = "no edit session; set MUSTER_EDIT=$(muster revisions edit begin)"});
    return print_response(
        "revisions revert",
        flags.api,
        {.method = "POST",
         .path = path_of(flags) + "/revert",
         .body = json::object{{"edit", edit}}},
        {});
}

exit_code list_nodes(const revisions_flags& flags) {
    return print_response(
        "revisions nodes",
        flags.api,
        {.path = "/api/v1/revisions/nodes"},
        {"node", "zone", "state", "revision", "since", "sections"});
}

// The edit session that was named, or the only one of the caller.
std::expected<std::string, api_failure> find_edit(const revisions_flags& flags) {
    const auto context = resolve_context(flags.api.client);
    if (!context.edit.empty()) return context.edit;
    const auto response = call_api(context, {.path = "/api/v1/edits"});
    if (!response) return std::unexpected(response.error());
    std::vector<std::string> own_sessions;
    for (const auto& session : response->at("items").as_array())
        if (session.at("own").as_bool()) own_sessions.emplace_back(session.at("id").as_string());
    if (own_sessions.size() == 1) return own_sessions.front();
    return std::unexpected(api_failure{
        .code = exit_code::usage,
        .message = own_sessions.empty()
                       ? "no open edit session; run: muster revisions edit begin"
                       : "more than one open edit session; select a session with --edit ID"});
}

exit_code call_edit(
    const revisions_flags& flags,
    const std::string& verb,
    const std::string& method,
    const std::string& path_suffix,
    const json::object& body = {}) {
    const auto edit = find_edit(flags);
    if (!edit) return print_error("revisions edit " + verb, edit.error());
    return print_response(
        "revisions edit " + verb,
        flags.api,
        {.method = method,
         .path = "/api/v1/edits/" + path_segment(*edit) + path_suffix,
         .body = body.empty() ? std::optional<json::value>() : std::optional<json::value>(body)},
        {});
}

// The table has only the session id, for `export MUSTER_EDIT=$(...)`; the rest is a hint.
exit_code begin_edit(const revisions_flags& flags) {
    json::object body;
    if (!flags.note.empty()) body.emplace("note", flags.note);
    const auto response = call_api(
        resolve_context(flags.api.client),
        {.method = "POST", .path = "/api/v1/edits", .body = std::move(body)});
    if (!response) return print_error("revisions edit begin", response.error());
    if (flags.api.format != output_format::table) {
        fmt::print("{}", render(*response, flags.api.format, {}));
        return exit_code::ok;
    }
    fmt::print("{}\n", std::string_view(response->at("id").as_string()));
    for (const auto& editor : response->at("others").as_array())
        print_hint(fmt::format(
            "user \"{}\" has also had an edit session since {}; only one session may be open to "
            "apply the draft",
            std::string_view(editor.at("user").as_string()),
            std::string_view(editor.at("began").as_string())));
    return exit_code::ok;
}

exit_code show_edits(const revisions_flags& flags) {
    const auto response = call_api(resolve_context(flags.api.client), {.path = "/api/v1/edits"});
    if (!response) return print_error("revisions edit status", response.error());
    if (flags.api.format != output_format::table) {
        fmt::print("{}", render(*response, flags.api.format, {}));
        return exit_code::ok;
    }
    fmt::print(
        "{}",
        render(
            response->at("items"),
            flags.api.format,
            {"id", "user", "began", "seen", "expires", "note"}));
    const auto& draft = response->at("draft");
    const auto& leader = response->at("leader");
    print_hint(fmt::format(
        "draft: {}, {} changes; leader: {}; apply: {}",
        std::string_view(draft.at("state").as_string()),
        draft.at("changes").as_int64(),
        leader.is_null() ? "none" : std::string_view(leader.at("server").as_string()),
        response->at("apply").at("allowed").as_bool()
            ? "allowed"
            : std::string_view(response->at("apply").at("reason").as_string())));
    return exit_code::ok;
}

exit_code show_draft(const revisions_flags& flags) {
    return print_response(
        "revisions edit draft",
        flags.api,
        {.path = "/api/v1/draft"},
        {"number", "operation", "name", "arguments", "before", "by", "at", "error"});
}

exit_code apply_edit(const revisions_flags& flags) {
    json::object body;
    if (!flags.note.empty()) body.emplace("note", flags.note);
    return call_edit(flags, "apply", "POST", "/apply", body);
}

exit_code discard_edit(const revisions_flags& flags) {
    return call_edit(flags, "discard", "POST", "/discard");
}

exit_code end_edit(const revisions_flags& flags) {
    return call_edit(flags, "end", "DELETE", "");
}

exit_code drop_change(const revisions_flags& flags) {
    return call_edit(flags, "drop", "DELETE", "/changes/" + std::to_string(flags.number));
}

using verb = verb_spec<revisions_flags>;

void add_edit_verbs(
    command_line::command& noun, const std::shared_ptr<revisions_flags>& flags, action& chosen) {
    auto* edit = noun.add_subcommand("edit", "Edit common data in a draft and apply the draft");
    edit->require_subcommand(1, 1);
    edit->footer("Example:\n  muster revisions edit status\n");
    for (const auto& spec :
         {verb{
              "begin",
              "Start an edit session and print its id",
              begin_edit,
              "export MUSTER_EDIT=$(muster revisions edit begin)"},
          verb{
              "status",
              "Show edit sessions, the leader and the state of the draft",
              show_edits,
              "muster revisions edit status"},
          verb{"draft", "List the changes of the draft", show_draft, "muster revisions edit draft"},
          verb{
              "drop",
              "Remove a change from the draft",
              drop_change,
              "muster revisions edit drop 3"},
          verb{
              "apply",
              "Apply the draft and publish a revision",
              apply_edit,
              "muster revisions edit apply --note 'autumn windows'"},
          verb{
              "discard",
              "Discard the draft and end the edit session",
              discard_edit,
              "muster revisions edit discard"},
          verb{
              "end",
              "End the edit session; the draft is kept",
              end_edit,
              "muster revisions edit end"}}) {
        auto* command = add_verb_spec(*edit, flags, chosen, spec);
        if (spec.run == drop_change)
            command
                ->add_option(
                    "number", flags->number, "Number, as `muster revisions edit draft` shows")
                ->required()
                ->type_name("NUMBER");
        if (spec.run == begin_edit || spec.run == apply_edit)
            command->add_option("--note", flags->note, "Note for other users")->type_name("TEXT");
    }
}

}  // namespace

void add_revisions(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<revisions_flags>();
    auto* noun = add_list_command(
                     root,
                     {"revisions", "Manage revisions of common data", examples},
                     flags->api,
                     chosen,
                     [flags] { return list_revisions(*flags); })
                     .noun;
    for (const auto& list_node :
         {verb{"show", "Show a revision", show_revision, "muster revisions show 12 -o json"},
          verb{
              "diff",
              "Show the differences between two revisions",
              diff_revision,
              "muster revisions diff 12 --from 10"},
          verb{
              "revert",
              "Add the changes that undo a revision to the draft",
              revert_revision,
              "muster revisions revert 12"},
          verb{
              "nodes",
              "List servers with the revision they hold",
              list_nodes,
              "muster revisions nodes"}}) {
        auto* added = add_verb_spec(*noun, flags, chosen, list_node);
        if (list_node.run == list_nodes) continue;
        added->add_option("number", flags->number, "Revision number")
            ->required()
            ->type_name("NUMBER");
        if (list_node.run == diff_revision)
            added
                ->add_option(
                    "--from",
                    flags->from,
                    "Revision to compare with (default: the previous revision)")
                ->type_name("NUMBER");
    }
    add_edit_verbs(*noun, flags, chosen);
}

}  // namespace muster::cli
