#pragma once

#include "runtime/settings/setting.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace muster::runtime {

// A setting somebody wrote down, and where: "muster.yaml:12", "MUSTER_LOG_LEVEL", "--log-level".
struct written_setting {
    std::string name;
    std::string text;
    std::string where;

    friend bool operator==(const written_setting&, const written_setting&) = default;
};

// What one source says. All problems are listed, not only the first.
struct reading {
    std::vector<written_setting> written;
    std::vector<std::string> problems;
};

// A YAML file of settings, nested (`log: {level: info}`) or dotted (`log.level: info`). Unknown and
// repeated keys are problems, and so is a second document.
reading read_settings_file(catalogue all, const std::filesystem::path& file);
reading read_settings_text(catalogue all, const std::string& yaml, const std::string& file_name);

// Variables that are almost a setting's (a typing error) or have the name of a group of settings in
// front are problems; others, and those that programs of ours use for more than settings, are not.
reading read_environment(catalogue all, const std::map<std::string, std::string>& variables);
std::map<std::string, std::string> process_environment();

}  // namespace muster::runtime
