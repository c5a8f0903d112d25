#include "apps/command_line/command.h"
#include "apps/command_line/command_description.h"
#include "apps/command_line/completion.h"
#include "apps/command_line/manual.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

namespace muster::command_line {
namespace {

// A small program: `fleet`, `fleet ships`, `fleet ships sink`.
struct harbour {
    program words{"fleet", "Sails ships"};
    std::string chart;
    std::string name;
    std::string flag_colour;
    std::vector<std::string> cargo;
    bool quietly = false;

    harbour() {
        auto& root = words.root();
        root.require_subcommand(1, 1);
        auto* ships = root.add_subcommand("ships", "Lists ships; it's quick");
        ships->require_subcommand(0, 1);
        ships->add_option("--chart", chart, "The chart")->type_name("FILE")->environment("CHART");
        auto* sink = ships->add_subcommand("sink", "Sinks one");
        sink->add_option("name,--name", name, "Which ship")->required()->type_name("SHIP");
        sink->add_option("--cargo", cargo, "What is in it")->type_name("GOODS");
        sink->add_option("-c,--colour", flag_colour, "Of its flag")->one_of({"red", "blue"});
        sink->add_option("--chart", chart, "The chart")->type_name("FILE")->environment("CHART");
        sink->add_flag("--quietly", quietly, "Tell nobody");
        sink->footer("Examples:\n  .hidden 'x' \\ y\n");
    }

    command_description tree() { return describe(words.root()); }
};

const option_description& option_of(const command_description& of, const std::string& flag) {
    for (const auto& option : of.options) {
        for (const auto& name : option.flags) {
            if (name == flag) return option;
        }
    }
    FAIL("no flag " << flag);
    return of.options.front();
}

TEST_CASE("the description has every command and flag as declared") {
    harbour fixture;

    const auto tree = fixture.tree();

    const auto paths = all_paths(tree);
    REQUIRE(paths.size() == 3);
    CHECK(paths[0].words == "fleet");
    CHECK(paths[1].words == "fleet ships");
    CHECK(paths[2].words == "fleet ships sink");
    CHECK(tree.needs_subcommand);
    CHECK_FALSE(paths[1].command->needs_subcommand);
    const auto& chart = option_of(*paths[1].command, "--chart");
    CHECK(chart.takes_file());
    CHECK(chart.environment == "CHART");
    const auto& sink = *paths[2].command;
    CHECK(option_of(sink, "--name").operand == "SHIP");
    CHECK(option_of(sink, "--name").required);
    CHECK(option_of(sink, "--cargo").many);
    CHECK(option_of(sink, "-c").words == std::vector<std::string>{"red", "blue"});
    CHECK(option_of(sink, "--quietly").value.empty());
    CHECK(option_of(sink, "--help").value.empty());
}

TEST_CASE("a completion script names what follows each command, quoted for its shell") {
    harbour fixture;
    const auto tree = fixture.tree();

    const auto bash = bash_completion(tree);
    CHECK(bash.contains("'fleet')\n            below='ships'"));
    CHECK(bash.contains("'fleet ships sink' | 'fleet ships sink -c'") == false);
    CHECK(bash.contains("'fleet ships sink -c' | 'fleet ships sink --colour') values='red blue'"));
    CHECK(bash.contains("'fleet ships --chart') values='<file>'"));
    CHECK(bash.contains("complete -F _fleet fleet"));

    const auto zsh = zsh_completion(tree);
    CHECK(zsh.starts_with("#compdef fleet\n"));
    CHECK(zsh.contains(R"('ships:Lists ships; it'\''s quick')"));
    CHECK(zsh.contains("_fleet \"$@\""));

    const auto fish = fish_completion(tree);
    CHECK(fish.contains(R"(-n '__fleet_at fleet' -a 'ships' -d 'Lists ships; it\'s quick')"));
    CHECK(fish.contains("-s c -l colour -x -a 'red blue' -d 'Of its flag'"));
    CHECK(fish.contains("'fleet ships sink --cargo'"));
    CHECK_FALSE(fish.contains("'fleet ships sink --quietly'"));
}

TEST_CASE("a manual page has its sections, and nothing of a text is read as a request") {
    harbour fixture;
    const manual_frame frame{.version = "1.0", .exit_codes = {{"0", "all well"}}};

    const auto page = manual_page(fixture.tree(), std::array<std::string, 1>{"ships"}, frame);

    CHECK(page.starts_with(".TH \"FLEET\\-SHIPS\" 1 \"\" \"fleet 1.0\" \"fleet manual\"\n"));
    for (const auto* each :
         {".SH NAME\nfleet\\-ships \\- Lists ships; it\\(aqs quick\n",
          ".SH SYNOPSIS\n\\fBfleet ships\\fR",
          ".SH OPTIONS\n",
          ".SH COMMANDS\n.SS fleet ships sink\n",
          ".SH ENVIRONMENT\n.TP\n\\fBCHART\\fR\n",
          ".SH EXIT STATUS\n.TP\n\\fB0\\fR\nall well\n",
          "  .hidden \\(aqx\\(aq \\e y\n",
          "One of: red blue",
          "As above: \\fB\\-\\-help\\fR, \\fB\\-\\-chart\\fR.\n"}) {
        CAPTURE(each);
        CHECK(page.contains(each));
    }
    CHECK(manual_page(fixture.tree(), {}, frame).contains("\\fBfleet ships\\fR\nLists ships"));
    CHECK(manual_page(fixture.tree(), std::array<std::string, 1>{"boats"}, frame).empty());
}

TEST_CASE("a line of an example that begins with a dot stays a line of the example") {
    program words("fleet", "Sails … ships");
    words.root().footer("Examples:\n.sink 'all'\n'quoted'\n");

    const auto page = manual_page(describe(words.root()), {}, {.version = "1.0", .exit_codes = {}});

    CHECK(page.contains("\n\\&.sink \\(aqall\\(aq\n\\&\\(aqquoted\\(aq\n"));
    CHECK(page.contains("Sails \\[u2026] ships"));
}

}  // namespace
}  // namespace muster::command_line
