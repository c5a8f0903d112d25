#pragma once

#include "services/configuration/config_record_store.h"
#include "services/content/content_store.h"
#include "services/revision/source.h"

namespace muster::common_data {

// What channels are there, and how they are defined, as sections of common data
// (common_sources.h); docs/adr/0023 says what of them is none.
//
// Channels and repositories of software: not which packages and errata a channel has, nor when it
// was last brought up to its repositories, so that nobody looks drifted while that goes on.
revision::sources software_sources(content::content_store* store);

// Configuration channels, which groups have which, and the keys of custom values. Not the files of
// channels, which no server keeps.
revision::sources configuration_sources(configuration::config_record_store* store);

}  // namespace muster::common_data
