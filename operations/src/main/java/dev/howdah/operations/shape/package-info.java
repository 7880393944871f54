/** The shapes of JSON that the HTTP API takes and gives: bodies are checked by them, and the OpenAPI document shows them. */
@NullMarked
package dev.howdah.operations.shape;

import org.jspecify.annotations.NullMarked;
