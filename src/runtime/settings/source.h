#pragma once

#include "runtime/settings/setting.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace muster::runtime {

// A setting as an operator wrote it.
struct written_setting {
    std::string name;
    std::string text;
    std::string origin;  // "muster.yaml:12", "MUSTER_LOG_LEVEL" or "--log-level"

    friend bool operator==(const written_setting&, const written_setting&) = default;
};

// The settings of one source, and all problems in it.
struct settings_source {
    std::vector<written_setting> entries;
    std::vector<std::string> problems;
};

// A YAML file of settings, nested (`log: {level: info}`) or dotted (`log.level: info`). Unknown and
// repeated keys are problems, and so is a second document.
settings_source read_settings_file(catalogue catalogue, const std::filesystem::path& file);
settings_source read_settings_text(
    catalogue catalogue, const std::string& yaml, const std::string& file_name);

// Variables are problems if they are almost a setting's (a typing error) or begin with the name of
// a group of settings. Other variables are ignored.
settings_source read_environment(
    catalogue catalogue, const std::map<std::string, std::string>& variables);
std::map<std::string, std::string> process_environment();

}  // namespace muster::runtime
