#!/usr/bin/env node
"use strict";
require("../dist/bin.js");
