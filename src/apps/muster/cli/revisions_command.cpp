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
    "  muster revisions                            what was published, the newest first\n"
    "  muster revisions diff 12                    what revision 12 changed\n"
    "  muster revisions nodes                      who holds it, and who has drifted\n"
    "  export MUSTER_EDIT=$(muster revisions edit begin --note 'autumn windows')\n"
    "  muster groups set shop 'tag:web'            goes into the draft\n"
    "  muster revisions edit draft                 what is in it\n"
    "  muster revisions edit apply                 \"Apply cluster update\"\n";

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
    return print_answer(
        "revisions",
        flags.api,
        {.path = "/api/v1/revisions"},
        {"number", "made", "made_by", "kind", "changes", "note", "digest"});
}

exit_code show_revision(const revisions_flags& flags) {
    return print_answer("revisions show", flags.api, {.path = path_of(flags)}, {});
}

exit_code diff_revision(const revisions_flags& flags) {
    const auto from = flags.from < 0 ? "" : "?from=" + std::to_string(flags.from);
    return print_answer(
        "revisions diff",
        flags.api,
        {.path = path_of(flags) + "/diff" + from},
        {"section", "name", "what", "before", "after"});
}

exit_code list_nodes(const revisions_flags& flags) {
    return print_answer(
        "revisions nodes",
        flags.api,
        {.path = "/api/v1/revisions/nodes"},
        {"node", "zone", "state", "revision", "since", "sections"});
}

// The session that is meant: the one that is named, or the only one of one's own.
std::expected<std::string, api_failure> edit_meant(const revisions_flags& flags) {
    const auto where = context_of(flags.api.client);
    if (!where.edit.empty()) return where.edit;
    const auto answered = call_api(where, {.path = "/api/v1/edits"});
    if (!answered) return std::unexpected(answered.error());
    std::vector<std::string> own;
    for (const auto& each : answered->at("items").as_array())
        if (each.at("own").as_bool()) own.emplace_back(each.at("id").as_string());
    if (own.size() == 1) return own.front();
    return std::unexpected(api_failure{
        .code = exit_code::usage,
        .sentence = own.empty() ? "you do not edit; begin with: muster revisions edit begin"
                                : "you have several sessions; say which with --edit ID"});
}

exit_code at_edit(
    const revisions_flags& flags,
    const std::string& verb,
    const std::string& method,
    const std::string& more,
    const json::object& body = {}) {
    const auto edit = edit_meant(flags);
    if (!edit) return complain("revisions edit " + verb, edit.error());
    return print_answer(
        "revisions edit " + verb,
        flags.api,
        {.method = method,
         .path = "/api/v1/edits/" + path_segment(*edit) + more,
         .body = body.empty() ? std::optional<json::value>() : std::optional<json::value>(body)},
        {});
}

// The table shows the session's name only, for `export MUSTER_EDIT=$(...)`; the rest is a hint.
exit_code begin_edit(const revisions_flags& flags) {
    json::object body;
    if (!flags.note.empty()) body.emplace("note", flags.note);
    const auto answered = call_api(
        context_of(flags.api.client),
        {.method = "POST", .path = "/api/v1/edits", .body = std::move(body)});
    if (!answered) return complain("revisions edit begin", answered.error());
    if (flags.api.format != output_format::table) {
        fmt::print("{}", render(*answered, flags.api.format, {}));
        return exit_code::well;
    }
    fmt::print("{}\n", std::string_view(answered->at("id").as_string()));
    for (const auto& each : answered->at("others").as_array())
        hint(fmt::format(
            "{} edits, too, since {}: only one may when the draft is applied",
            std::string_view(each.at("user").as_string()),
            std::string_view(each.at("began").as_string())));
    return exit_code::well;
}

exit_code show_edits(const revisions_flags& flags) {
    const auto answered = call_api(context_of(flags.api.client), {.path = "/api/v1/edits"});
    if (!answered) return complain("revisions edit status", answered.error());
    if (flags.api.format != output_format::table) {
        fmt::print("{}", render(*answered, flags.api.format, {}));
        return exit_code::well;
    }
    fmt::print(
        "{}",
        render(
            answered->at("items"),
            flags.api.format,
            {"id", "user", "began", "seen", "expires", "note"}));
    const auto& draft = answered->at("draft");
    const auto& leader = answered->at("leader");
    hint(fmt::format(
        "draft: {}, {} changes; leader: {}; apply: {}",
        std::string_view(draft.at("state").as_string()),
        draft.at("changes").as_int64(),
        leader.is_null() ? "none" : std::string_view(leader.at("server").as_string()),
        answered->at("apply").at("allowed").as_bool()
            ? "allowed"
            : std::string_view(answered->at("apply").at("reason").as_string())));
    return exit_code::well;
}

exit_code show_draft(const revisions_flags& flags) {
    return print_answer(
        "revisions edit draft",
        flags.api,
        {.path = "/api/v1/draft"},
        {"number", "operation", "name", "arguments", "before", "by", "at", "error"});
}

exit_code apply_edit(const revisions_flags& flags) {
    json::object body;
    if (!flags.note.empty()) body.emplace("note", flags.note);
    return at_edit(flags, "apply", "POST", "/apply", body);
}

exit_code discard_edit(const revisions_flags& flags) {
    return at_edit(flags, "discard", "POST", "/discard");
}

exit_code end_edit(const revisions_flags& flags) {
    return at_edit(flags, "end", "DELETE", "");
}

exit_code drop_change(const revisions_flags& flags) {
    return at_edit(flags, "drop", "DELETE", "/changes/" + std::to_string(flags.number));
}

using verb = verb_of<revisions_flags>;

void add_edit_verbs(
    command_line::command& noun, const std::shared_ptr<revisions_flags>& flags, action& chosen) {
    auto* edit = noun.add_subcommand("edit", "Edit common data as a draft, and apply it");
    edit->require_subcommand(1, 1);
    edit->footer("Example:\n  muster revisions edit status\n");
    for (const auto& each :
         {verb{
              "begin",
              "Begin to edit; prints the session's name",
              begin_edit,
              "export MUSTER_EDIT=$(muster revisions edit begin)"},
          verb{
              "status",
              "Who edits, who leads, and whether the draft may be applied",
              show_edits,
              "muster revisions edit status"},
          verb{"draft", "The changes of the draft", show_draft, "muster revisions edit draft"},
          verb{"drop", "Drop one change of the draft", drop_change, "muster revisions edit drop 3"},
          verb{
              "apply",
              "Carry the draft out and publish a revision",
              apply_edit,
              "muster revisions edit apply --note 'autumn windows'"},
          verb{
              "discard",
              "Drop the whole draft and end the session",
              discard_edit,
              "muster revisions edit discard"},
          verb{"end", "End the session; the draft stays", end_edit, "muster revisions edit end"}}) {
        auto* added = add_verb_of(*edit, flags, chosen, each);
        if (each.run == drop_change)
            added->add_option("number", flags->number, "Which change")
                ->required()
                ->type_name("NUMBER");
        if (each.run == begin_edit || each.run == apply_edit)
            added->add_option("--note", flags->note, "What it is about, for others")
                ->type_name("TEXT");
    }
}

}  // namespace

void add_revisions(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<revisions_flags>();
    auto* noun = add_listing_noun(
                     root,
                     {"revisions", "Common data: what was published, and its editing", examples},
                     flags->api,
                     chosen,
                     [flags] { return list_revisions(*flags); })
                     .noun;
    for (const auto& list_node :
         {verb{"show", "Show one revision", show_revision, "muster revisions show 12 -o json"},
          verb{
              "diff",
              "What differs between two revisions",
              diff_revision,
              "muster revisions diff 12 --from 10"},
          verb{
              "nodes",
              "Which server holds which revision",
              list_nodes,
              "muster revisions nodes"}}) {
        auto* added = add_verb_of(*noun, flags, chosen, list_node);
        if (list_node.run == list_nodes) continue;
        added->add_option("number", flags->number, "Which revision")
            ->required()
            ->type_name("NUMBER");
        if (list_node.run == diff_revision)
            added->add_option("--from", flags->from, "Against this one; the one before if not said")
                ->type_name("NUMBER");
    }
    add_edit_verbs(*noun, flags, chosen);
}

}  // namespace muster::cli
