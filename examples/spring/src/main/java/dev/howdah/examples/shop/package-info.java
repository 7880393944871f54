/** A shop with Spring Boot: a web page that places orders, and jobs that confirm them. */
@NullMarked
package dev.howdah.examples.shop;

import org.jspecify.annotations.NullMarked;
