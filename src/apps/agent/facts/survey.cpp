#include "apps/agent/facts/survey.h"

#include "apps/agent/facts/sources.h"

#include <utility>

namespace muster::agent {

survey_outcome survey(const survey_options& how) {
    collection found;
    add_os_facts(found, how.root);
    add_name_facts(found, how.root);
    add_hardware_facts(found, how.root);
    add_virtualisation_facts(found, how.root);
    add_address_facts(found, how.root);
    add_disk_facts(found, how.root);
    if (!how.contact.empty()) found.add("contact", how.contact);
    // Last: what the machine says of itself cannot be overwritten by a file.
    if (!how.directory.empty()) add_written_facts(found, how.directory);
    return std::move(found).finish();
}

}  // namespace muster::agent
