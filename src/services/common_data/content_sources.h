#pragma once

#include "services/configuration/record_book.h"
#include "services/content/library.h"
#include "services/revision/source.h"

namespace muster::common_data {

// What channels are there, and how they are defined, as sections of common data
// (common_sources.h); docs/adr/0023 says what of them is none.
//
// Channels and repositories of software: not which packages and errata a channel has, nor when it
// was last brought up to its repositories, so that nobody looks drifted while that goes on.
revision::sources software_sources(content::library* from);

// Configuration channels, which groups have which, and the keys of custom values. Not the files of
// channels, which no server keeps.
revision::sources configuration_sources(configuration::record_book* from);

}  // namespace muster::common_data
